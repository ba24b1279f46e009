import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCommandLine } from './cli/bundle.js';

/**
 * Address and headers of one request, in bytes. uWebSockets answers a longer one with an HTML page; the gateway's own limits
 * (gateway/http/request/head.ts) lie below and are answered in JSON. The library reads the variable when it is loaded.
 */
const HEADERS_BYTES_MAX = 65_536;
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(HEADERS_BYTES_MAX);

/**
 * Threads of libuv's pool. Signatures of other servers run on it, and look-ups of dead names can hold half of it for
 * seconds. Node 20 has started the pool before this line; `npm start` sets the variable for it.
 */
const POOL_THREADS = 16;
process.env.UV_THREADPOOL_SIZE ??= String(POOL_THREADS);

// A reader that has closed the pipe (head, a pager) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const words = process.argv.slice(2);
const { commandLine } = await loadCommandLine(dirname(fileURLToPath(import.meta.url)), words);
process.exitCode = await commandLine(words);
