import { badInputTests } from './bad-input-suite.js';
import { oneNode } from './worlds/node-address.js';

badInputTests(oneNode, 1);
