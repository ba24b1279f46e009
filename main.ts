import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCommandLine } from './cli/bundle.js';

const { commandLine } = await loadCommandLine(dirname(fileURLToPath(import.meta.url)));
process.exitCode = await commandLine(process.argv.slice(2));
