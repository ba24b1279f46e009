import { oneNode } from './ground.js';
import { otherPeoplesIdsTests } from './other-peoples-ids-suite.js';

otherPeoplesIdsTests(oneNode);
