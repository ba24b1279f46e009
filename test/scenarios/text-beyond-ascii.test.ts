import { ServerProcess } from '../kit/services/server-process.js';
import { textTests } from './suites/text-beyond-ascii-suite.js';

textTests(() => ServerProcess.start());
