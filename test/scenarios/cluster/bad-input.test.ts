import { ThreeNodes } from '../../kit/services/three-nodes.js';
import { badInputTests } from '../bad-input-suite.js';
import { otherPeoplesIdsTests } from '../other-peoples-ids-suite.js';

/**
 * Every route's success, and of each route its refusals for lack of a token (401), of a scope (403), of what it is
 * about (404), of a body (400) and of a value of the right type (422), each of them at every node, which all must say
 * the same. Of the other hostile values, which one node gets all of, so many go to the nodes in turn.
 */
const SHARE = 0.3;

let started: Promise<ThreeNodes> | undefined;
/** The same three for both. */
const threeNodes = () => {
  started ??= ThreeNodes.start();
  return started;
};

badInputTests(threeNodes, SHARE);
otherPeoplesIdsTests(threeNodes);
