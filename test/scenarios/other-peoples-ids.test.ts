import { otherPeoplesIdsTests } from './suites/other-peoples-ids-suite.js';
import { oneNode } from './worlds/node-address.js';

otherPeoplesIdsTests(oneNode);
