import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparison, measuredMain, runBeside, step } from '../../bench/beside.js';
import type { Row } from '../../bench/row.js';

const nameOfSide = () => measuredMain() ?? 'ours';
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('the steps of two builds never overlap, and each begins every second time', async () => {
  const order: string[] = [];
  let running = 0;
  await runBeside(async () => {
    for (let round = 0; round < 4; round++) {
      await step(async () => {
        running += 1;
        await nextTurn();
        assert.equal(running, 1);
        order.push(nameOfSide());
        running -= 1;
      });
      // The other side may still be in its step when this one goes on, unless both wait.
      assert.equal(running, 0);
    }
    return [];
  }, 'theirs');
  assert.deepEqual(order, ['ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs', 'theirs', 'ours']);
});

test('a build that fails does not hold the other one back', async () => {
  let rounds = 0;
  const run = async () => {
    if (nameOfSide() === 'theirs') throw new Error('it does not start');
    for (let round = 0; round < 3; round++)
      await step(async () => {
        rounds += 1;
      });
    return [];
  };
  await assert.rejects(runBeside(run, 'theirs'), /it does not start/);
  for (let turns = 0; rounds < 3 && turns < 100; turns++) await nextTurn();
  assert.equal(rounds, 3);
});

test('a benchmark that always starts this build is not compared with another', async () => {
  await assert.rejects(
    runBeside(async () => [], 'theirs'),
    /measures only its own build/,
  );
});

test('without another build a step runs at once', async () => {
  assert.equal(await step(async () => 7), 7);
  assert.equal(measuredMain(), undefined);
});

test('two builds that cost the same in changing rounds are compared as 1.000 times', () => {
  const row = (rounds: readonly number[]): Row => ({
    name: 'home',
    cpuSecondsPer1000: 2,
    cpuSecondsPer1000Rounds: rounds,
  });
  const lines = comparison([row([2, 1]), { name: 'start' }], [row([1, 2])]);
  assert.deepEqual(lines, ['home: 2.0000 → 2.0000 CPU-s/1,000, 1.000 times (0.50–2.00, 2 rounds)']);
});
