// Decides which test files are fast: those that need no process, socket or service. The imports of a file say it, so
// there is no list to keep; scripts/fast/guard.mjs makes a file fail for which they do not say it.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Modules for processes and sockets. */
const OUTSIDE = new Set([
  ...['child_process', 'dgram', 'http', 'https', 'net', 'tls', 'worker_threads'].map((name) => `node:${name}`),
  ...['@grpc/grpc-js', 'cassandra-driver', 'nats', 'playwright-core', 'smtp-server', 'undici', 'ws'],
  ...['masto', 'megalodon'],
  // Makes pictures to upload.
  'sharp',
]);
const TESTS = 'dist/test/';
/** Modules of the server that start services or listen. */
const SERVICES = ['dist/cluster/local/', 'dist/transport/grpc/'];
/** Sends files, whose parsers are processes. */
const UPLOADS = 'dist/test/kit/network/multipart.js';
const IMPORT = /^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm;
/** A measured or bounded duration, by the real clock. */
const TIMED = /\b(?:performance\.now|hrtime|OwnTime|until|setTimeout)\b/;
/** A call of the global function. */
const FETCH = /(?<![.\w])fetch\(/;

const known = new Map();

/** Returns true if the file itself reaches outside its process, and the files of the tests that it imports. */
function read(file) {
  let found = known.get(file);
  if (found !== undefined) return found;
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(IMPORT)].map(([, name]) =>
    name.startsWith('.') ? join(dirname(file), name) : name,
  );
  found = {
    outside:
      file === UPLOADS ||
      FETCH.test(text) ||
      imports.some((name) => OUTSIDE.has(name) || SERVICES.some((folder) => name.startsWith(folder))),
    tests: imports.filter((name) => name.startsWith(TESTS) && name.endsWith('.js') && existsSync(name)),
  };
  known.set(file, found);
  return found;
}

/** Returns true for a compiled test file that reaches outside its process neither itself nor by its fixtures. */
export function isFast(file) {
  const seen = new Set();
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const { outside, tests } = read(next);
    if (outside) return false;
    waiting.push(...tests);
  }
  return true;
}

/** Returns true for a compiled test file that measures or bounds real time: it may fail when others use the machine. */
export const isTimed = (file) => TIMED.test(readFileSync(file, 'utf8'));
