import { ServerProcess } from '../test/kit/services/server-process.js';
import { measuredMain } from './beside.js';

/** Starts a server of the build that is measured. @param settings by name without the prefix, over LOG_LEVEL=warn */
export const startServer = (settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> =>
  ServerProcess.start({ LOG_LEVEL: 'warn', ...settings }, {}, process.execPath, measuredMain());
