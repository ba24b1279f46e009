import { ClusterNodes } from '../../kit/services/cluster-nodes.js';
import { badInputTests } from '../suites/bad-input-suite.js';
import { otherPeoplesIdsTests } from '../suites/other-peoples-ids-suite.js';
import { everyPlaceTest } from './every-place.js';
import { resumedStreamsTests } from './resumed-streams.js';

/**
 * Share of the hostile values that go to the nodes in turn; a single node gets all of them in another test. The node
 * that receives such a value refuses it alone, by the code of a single node. Besides these, every node gets each route's
 * success and its refusals for lack of a token (401), of a scope (403), of its object (404), of a body (400) and of a
 * valid value (422), and all nodes must give the same answer.
 */
const SHARE = 0.05;

let started: Promise<ClusterNodes> | undefined;
/** Starts three nodes once, for all suites that neither kill one nor need settings of their own. */
const threeNodes = () => {
  started ??= ClusterNodes.start();
  return started;
};

badInputTests(threeNodes, SHARE);
otherPeoplesIdsTests(threeNodes);
resumedStreamsTests(threeNodes);
everyPlaceTest(threeNodes);
