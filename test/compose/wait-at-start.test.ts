import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Misconfigured, Unavailable } from '../../actors/domain/problem.js';
import { type StartWait, waitAtStart } from '../../compose/wait-at-start.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';

const WAIT_MS = 5_000;

function world(isStopping = () => false) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = { info: (_fields: object, message: string) => void lines.push(message) };
  return { clock, lines, wait: { clock, log, isStopping } as unknown as StartWait };
}

test('a start waits for a missing service and logs one line', async () => {
  const { clock, lines, wait } = world();
  const open = async () => {
    if (clock.monotonicMs() < 2_000) throw new Unavailable('no Cassandra');
    return 'open';
  };
  const opened = waitAtStart(wait, 'Cassandra', WAIT_MS, open);
  await clock.advance(3_000);
  assert.equal(await opened, 'open');
  assert.deepEqual(lines, ['waiting for Cassandra']);
});

test('the wait ends with the last error when its time is up, and at once when the process is asked to end', async () => {
  const { clock, wait } = world();
  const down = async () => {
    throw new Unavailable('no Cassandra');
  };
  const refused = assert.rejects(waitAtStart(wait, 'Cassandra', WAIT_MS, down), /no Cassandra/);
  await clock.advance(WAIT_MS + 1_000);
  await refused;
  const stopping = world(() => true);
  await assert.rejects(waitAtStart(stopping.wait, 'Cassandra', WAIT_MS, down), /no Cassandra/);
});

test('a service that refuses the settings is not retried', async () => {
  const { wait } = world();
  let asked = 0;
  const refuses = async () => {
    asked += 1;
    throw new Misconfigured('wrong password');
  };
  await assert.rejects(waitAtStart(wait, 'Cassandra', WAIT_MS, refuses), /wrong password/);
  assert.equal(asked, 1);
});
