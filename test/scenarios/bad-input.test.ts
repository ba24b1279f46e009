import { badInputTests } from './bad-input-suite.js';
import { oneNode } from './ground.js';

badInputTests(oneNode, 1);
