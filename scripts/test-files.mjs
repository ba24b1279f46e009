// Runs test files one after the other in this process, each as a suite of its own: shared imports are loaded and
// compiled once. `node --test-reporter=spec scripts/test-files.mjs FILE…`
import { pathToFileURL } from 'node:url';
import { runFile } from './test-runner.mjs';

for (const file of process.argv.slice(2)) await runFile(file, () => import(pathToFileURL(file).href));
