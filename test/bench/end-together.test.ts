import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { endTogether } from '../../bench/end-together.js';

const module = fileURLToPath(new URL('../../bench/end-together.js', import.meta.url));
/** Ends by itself, so that a failed test leaves no process. */
const WAITING = 'setTimeout(() => undefined, 60_000);';
/** Prints its child's pid; its work fails when the child ends, as requests to a server do. */
const PARENT = `
const { spawn } = await import('node:child_process');
const { once } = await import('node:events');
const { endTogether } = await import(${JSON.stringify(module)});
await endTogether(async () => {
  const child = spawn(process.execPath, ['-e', ${JSON.stringify(`process.stdout.write('up'); ${WAITING}`)}], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  console.log(child.pid);
  await once(child, 'exit');
  throw new Error('the server went away');
});`;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  test(`children end with their parent on ${signal}, and no fault is reported`, async () => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    parent.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const ended = once(parent, 'exit');
    const [pid] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
    parent.kill(signal);
    assert.deepEqual(await ended, [null, signal]);
    assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
    assert.equal(errors, '');
  });

test('a result or an error without a signal is passed on, and the signal handlers are removed', async () => {
  const before = process.listenerCount('SIGTERM');
  assert.equal(await endTogether(async () => process.listenerCount('SIGTERM')), before + 1);
  await assert.rejects(
    endTogether(async () => {
      throw new Error('a fault');
    }),
    { message: 'a fault' },
  );
  assert.equal(process.listenerCount('SIGTERM'), before);
});
