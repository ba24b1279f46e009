import { badInputTests } from './suites/bad-input-suite.js';
import { oneNode } from './worlds/node-address.js';

badInputTests(oneNode, 1);
