import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const RUN_MS_MAX = 60_000;
/** Only Linux has this file. */
const SLACK_FILE = '/proc/self/timerslack_ns';

function run(body: string) {
  const dir = mkdtempSync(join(tmpdir(), 'murmuration-runner-'));
  const file = join(dir, 'planted.mjs');
  writeFileSync(file, `import { test } from 'node:test';\ntest('planted', async () => { ${body} });\n`);
  const args = ['--test-reporter=spec', 'scripts/test-files.mjs', file];
  const { NODE_TEST_CONTEXT: _inherited, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: RUN_MS_MAX, env });
  rmSync(dir, { recursive: true });
  return { status, stdout, file };
}

test('the runner of the tests passes a test, and names its file', () => {
  const { status, stdout, file } = run('await new Promise((resolve) => setTimeout(resolve, 1));');
  assert.equal(status, 0, stdout);
  assert.ok(stdout.includes(`▶ ${file}\n  ✔ planted`), stdout);
});

test('the runner of the tests fails an assertion, an uncaught error and an unhandled rejection', () => {
  const wait = 'await new Promise((resolve) => setTimeout(resolve, 5));';
  for (const body of [
    'throw new Error("planted");',
    `setTimeout(() => { throw new Error('planted'); }, 1); ${wait}`,
    `Promise.reject(new Error('planted')); ${wait}`,
  ]) {
    const { status, stdout } = run(body);
    assert.notEqual(status, 0, body);
    assert.match(stdout, /Error: planted/);
  }
});

test('programs of the tests may fire their timers 1 ms late, so that Cassandra costs less', {
  skip: !existsSync(SLACK_FILE),
}, () => {
  const { stdout } = spawnSync('cat', [SLACK_FILE], { encoding: 'utf8', timeout: RUN_MS_MAX });
  assert.equal(stdout, '1000000\n');
  assert.equal(readFileSync(SLACK_FILE, 'utf8'), stdout);
});
