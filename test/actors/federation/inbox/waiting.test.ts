import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../../../actors/domain/problem.js';
import type { Outcome } from '../../../../actors/federation/inbox/port.js';
import { laneOf, WaitingActivities } from '../../../../actors/federation/inbox/waiting.js';
import type { StoreWaitingActivity } from '../../../../proto/gen/types.js';
import { inboxWaiting } from '../../../../store/federation-tables.js';
import { MemoryTables } from '../../../../store/memory/memory-tables.js';
import { VirtualClock } from '../../../kit/time/virtual-clock.js';

const ann = 'https://far.example/users/ann';
const host = 'far.example';

type CarryOut = (activity: StoreWaitingActivity) => Promise<Outcome>;
interface Seat {
  owned: boolean;
  carryOut: CarryOut;
}

function world() {
  const tables = new MemoryTables();
  const clock = new VirtualClock();
  let number = 0;
  const random = { bytes: (count: number) => Buffer.alloc(count, ++number), fraction: () => 0.5 };
  const lines: string[] = [];
  const logger = { info() {}, warn: (_: object, line: string) => void lines.push(line), error() {} };
  const nodes: WaitingActivities[] = [];
  const node = (seat: Seat): WaitingActivities => {
    const one = new WaitingActivities({
      ...{ tables, clock, random, logger },
      placement: { epochOf: () => (seat.owned ? 1 : undefined) },
      announce: (lane) => {
        for (const other of nodes) other.announced(lane);
      },
      carryOut: (activity) => seat.carryOut(activity),
    });
    nodes.push(one);
    return one;
  };
  const rows = () => tables.range(inboxWaiting, { lane: laneOf(host) }, { limit: 100 });
  return { clock, node, rows, lines };
}

const waiting = (text: string, object = 'https://far.example/1') => ({ signer: ann, object, body: Buffer.from(text) });
const textOf = ({ body }: StoreWaitingActivity) => Buffer.from(body).toString();

/** Records an activity and returns its outcome. */
function noted(done: string[], activity: StoreWaitingActivity, outcome: Outcome): Outcome {
  done.push(textOf(activity));
  return outcome;
}

test('an activity is carried out once, and its row goes', async () => {
  const { clock, node, rows } = world();
  const done: string[] = [];
  const one = node({ owned: true, carryOut: async (activity) => noted(done, activity, 'done') });
  await one.add(waiting('a'));
  await clock.settle();
  assert.deepEqual(done, ['a']);
  assert.deepEqual(await rows(), []);
  one.close();
});

test('activities about one object are carried out in order, also when the first must be repeated', async () => {
  const { clock, node } = world();
  const done: string[] = [];
  let failures = 2;
  const carryOut: CarryOut = async (activity) => {
    if (textOf(activity) === 'first' && failures-- > 0) {
      if (failures === 0) throw new Unavailable('the store is away');
      return 'later';
    }
    done.push(textOf(activity));
    return 'done';
  };
  const one = node({ owned: true, carryOut });
  await one.add(waiting('first'));
  await clock.advance(1);
  await one.add(waiting('second'));
  await one.add(waiting('other', 'https://far.example/2'));
  await clock.settle();
  assert.deepEqual(done, ['other']);
  for (let times = 0; times < 2; times++) {
    await clock.advance(120_000);
    await clock.settle();
  }
  assert.deepEqual(done, ['other', 'first', 'second']);
  one.close();
});

test('after a crash the next process carries out what waits', async () => {
  const { clock, node, rows } = world();
  const crashed = node({ owned: true, carryOut: () => new Promise(() => {}) });
  await crashed.add(waiting('kept'));
  await clock.settle();
  crashed.close();
  const done: string[] = [];
  const next = node({ owned: true, carryOut: async (activity) => noted(done, activity, 'ignored') });
  next.start();
  await clock.advance(1);
  await clock.settle();
  assert.deepEqual(done, ['kept']);
  assert.deepEqual(await rows(), []);
  next.close();
});

test('the owner of the host carries out what another node took, and a new owner what the old one left', async () => {
  const { clock, node } = world();
  const done: string[] = [];
  const by =
    (name: string): CarryOut =>
    async (activity) => {
      done.push(`${name} ${textOf(activity)}`);
      return 'done';
    };
  const [seat, other]: Seat[] = [
    { owned: true, carryOut: by('owner') },
    { owned: false, carryOut: by('other') },
  ] as [Seat, Seat];
  const [owner, stranger] = [node(seat as Seat), node(other as Seat)];
  owner.start();
  stranger.start();
  await stranger.add(waiting('a'));
  await clock.advance(1_000);
  await clock.settle();
  assert.deepEqual(done, ['owner a']);
  (seat as Seat).carryOut = async () => 'later';
  await owner.add(waiting('b'));
  await clock.settle();
  (seat as Seat).owned = false;
  (other as Seat).owned = true;
  stranger.shardsChanged();
  await clock.advance(1_000);
  await clock.settle();
  assert.deepEqual(done, ['owner a', 'other b']);
  for (const one of [owner, stranger]) one.close();
});

test('an activity is given up after two days', async () => {
  const { clock, node, rows } = world();
  let attempts = 0;
  const one = node({
    owned: true,
    carryOut: async () => {
      attempts += 1;
      return 'later';
    },
  });
  await one.add(waiting('a'));
  for (let hours = 0; hours < 60; hours++) {
    await clock.advance(3_600_000);
    await clock.settle();
  }
  assert.ok(attempts > 5 && attempts < 40, String(attempts));
  assert.deepEqual(await rows(), []);
  one.close();
});
