import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paced, pacedTurns, STARTS_MAX } from '../../../../actors/federation/delivery/pace.js';
import { inTurns } from '../../../../actors/runtime/effects/in-turns.js';

/** An event loop whose turns end when the test says so. */
class Loop {
  nowMs = 0;
  readonly pauses: number[] = [];
  readonly #turns: (() => void)[] = [];
  readonly loop = {
    monotonicMs: () => this.nowMs,
    turn: () => new Promise<void>((resolve) => void this.#turns.push(resolve)),
    pause: async (ms: number) => {
      this.pauses.push(ms);
      this.nowMs += ms;
    },
  };

  /** Ends a turn that took so long, and lets all waiting work run. */
  async endTurn(tookMs: number): Promise<void> {
    this.nowMs += tookMs;
    for (const end of this.#turns.splice(0)) end();
    for (let step = 0; step < 20; step++) await Promise.resolve();
  }
}

test('few deliveries begin in one turn of the event loop, and then as much time goes to other work', async () => {
  const loop = new Loop();
  const pace = paced(loop.loop);
  let started = 0;
  const all = Array.from({ length: 3 * STARTS_MAX + 1 }, () => pace().then(() => started++));
  await loop.endTurn(0);
  assert.equal(started, STARTS_MAX);
  await loop.endTurn(5);
  assert.deepEqual([started, loop.pauses], [2 * STARTS_MAX, [5]]);
  await loop.endTurn(1_000);
  assert.deepEqual([started, loop.pauses], [3 * STARTS_MAX, [5, 10]], 'a pause is 10 ms at most');
  await loop.endTurn(1);
  assert.deepEqual([started, loop.pauses], [3 * STARTS_MAX + 1, [5, 10]], 'no pause after a short turn');
  await Promise.all(all);
});

test('work of paced turns keeps its order, and failed work holds up nothing', async () => {
  const loop = new Loop();
  const inTurn = pacedTurns(inTurns(2), paced(loop.loop));
  const order: number[] = [];
  const all = Array.from({ length: 9 }, (_, index) =>
    inTurn(async () => {
      order.push(index);
      if (index === 3) throw new Error('failed');
    }).catch(() => undefined),
  );
  for (let turn = 0; turn < 4; turn++) await loop.endTurn(1);
  await Promise.all(all);
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});
