import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Msg } from 'nats';
import { Unavailable } from '../../../actors/domain/problem.js';
import { OpenRequests } from '../../../transport/nats/open-requests.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

/** Maximum delay until a timeout is noticed. */
const TICK_MS = 50;

/** Begins a request for each timeout; `outcomes` says which have ended, and how. */
function world(...timeouts: readonly number[]) {
  const clock = new VirtualClock();
  const requests = new OpenRequests(clock);
  const numbers: string[] = [];
  const outcomes: (string | undefined)[] = timeouts.map(() => undefined);
  for (const [index, timeoutMs] of timeouts.entries()) {
    const answered = requests.begin(`actor.${index}`, timeoutMs, undefined, (number) => void numbers.push(number));
    answered.then(
      () => {
        outcomes[index] = 'answered';
      },
      (error: unknown) => {
        outcomes[index] = error instanceof Unavailable ? error.message : String(error);
      },
    );
  }
  return { clock, requests, numbers, outcomes };
}

test('requests fail at their own timeouts, an answered one does not', async () => {
  const { clock, requests, numbers, outcomes } = world(1_000, 200, 1_000);
  await clock.advance(199);
  assert.deepEqual(outcomes, [undefined, undefined, undefined]);
  await clock.advance(1 + TICK_MS);
  assert.deepEqual(outcomes, [undefined, 'no answer on actor.1', undefined]);
  requests.answered(numbers[0] ?? '', { data: new Uint8Array() } as Msg);
  await clock.advance(800);
  assert.deepEqual(outcomes, ['answered', 'no answer on actor.1', 'no answer on actor.2']);
  assert.equal(requests.size, 0);
});

test('a request after an idle time has its whole timeout', async () => {
  const { clock, requests, outcomes } = world(100);
  await clock.advance(60_000);
  assert.deepEqual(outcomes, ['no answer on actor.0']);
  let failed = false;
  requests
    .begin('actor.9', 100, undefined, () => undefined)
    .catch(() => {
      failed = true;
    });
  await clock.advance(99);
  assert.equal(failed, false);
  await clock.advance(1 + TICK_MS);
  assert.equal(failed, true);
});

test('when the connection breaks, all requests fail at once', async () => {
  const { clock, requests, outcomes } = world(100, 200);
  requests.failAll('the bus is closed');
  await clock.settle();
  assert.deepEqual(outcomes, ['the bus is closed', 'the bus is closed']);
});
