import { ServerProcess } from '../kit/server-process.js';
import { textTests } from './text-beyond-ascii-suite.js';

textTests(() => ServerProcess.start());
