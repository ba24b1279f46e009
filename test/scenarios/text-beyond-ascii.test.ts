import { ServerProcess } from '../kit/services/server-process.js';
import { textTests } from './text-beyond-ascii-suite.js';

textTests(() => ServerProcess.start());
