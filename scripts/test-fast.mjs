// Runs the fast tests: no process, no socket, no service. See scripts/fast/files.mjs for the rule.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFast } from './fast/files.mjs';
import { fastPlanOf, isShort } from './test-plan.mjs';
import { Turns } from './turns/turns.mjs';

const startedMs = performance.now();
const patterns = process.argv.slice(2);
const files = readdirSync('dist/test', { recursive: true })
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => join('dist/test', name))
  .filter((name) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern)))
  .filter((name) => isShort(name) && isFast(name));
const guard = pathToFileURL(resolve('scripts/fast/guard.mjs')).href;
const turns = new Turns(fastPlanOf(files), { ...process.env, NODE_OPTIONS: `--import=${guard}` });
process.on('SIGINT', () => turns.stop());
process.on('SIGTERM', () => turns.stop());
const passed = await turns.run();
console.log(`${files.length} files in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
process.exit(passed ? 0 : 1);
