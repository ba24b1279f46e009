import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCommandLine } from './cli/bundle.js';

/**
 * Address and headers of one request, in bytes. uWebSockets' default of 4,096 on Node 22 and 24 refuses long lists of
 * ids and large cookies. The library reads the variable when it is loaded.
 */
const HEADERS_BYTES_MAX = 16_384;
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(HEADERS_BYTES_MAX);

const { commandLine } = await loadCommandLine(dirname(fileURLToPath(import.meta.url)));
process.exitCode = await commandLine(process.argv.slice(2));
