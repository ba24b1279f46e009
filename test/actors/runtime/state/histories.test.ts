import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { RANGE_LIMIT_MAX } from '../../../../store/port.js';
import { backlog } from '../../../../store/tables.js';
import { pages } from '../../../kit/actors/notebook.js';
import { STAGE_SHARDS, Stage, type StageNode } from '../../../kit/actors/stage.js';
import { SeededRandom } from '../../../simulation/world.js';

/** RUNTIME_SEED=7 RUNTIME_SEEDS=1 replays one seed. */
const FIRST_SEED = Number(process.env.RUNTIME_SEED ?? 1);
const SEEDS = Number(process.env.RUNTIME_SEEDS ?? 25);
const STEPS = 60;
const WRITE_MS_MAX = 400;
/** Two scans of the backlog, and the effects that the second one finds. */
const REST_MS = 150_000;
const IDS = [0, 1, 2, 3, 4, 5].map((index) => makeId(1_767_225_600_000, index % STAGE_SHARDS.length, index));
const LIMITS = {
  idleMs: 5_000,
  quietMs: 500,
  snapshotEntriesMin: 2,
  snapshotEntriesMax: 5,
  trimEntriesMin: 3,
  cursorEvery: 3,
  laneQueueMax: 4,
  activationsMax: 5,
};

interface Sent {
  readonly text: string;
  readonly to: string;
  readonly other: string;
  readonly means: 'copyTo' | 'shareWith';
  acknowledged: boolean;
}

/** One owner at a time, which dies, hands over, passivates and has a failing store, while commands keep coming. */
class History {
  private readonly stage = new Stage();
  private readonly sent: Sent[] = [];
  private epoch = 1;
  private owner!: StageNode;

  constructor(private readonly random: SeededRandom) {}

  async run(): Promise<void> {
    await this.takeOver();
    for (let step = 0; step < STEPS; step++) {
      await this.step();
      await this.stage.clock.advance(this.random.between(0, 300));
    }
    this.owner.store.mend();
    // The backlog is read every minute, without a command to an actor with unfinished effects.
    await this.stage.clock.advance(REST_MS);
    await this.checkAcknowledged();
    // An append of a dead owner, never acknowledged, can become visible after its successor has started. The next
    // activation sees it, and carries out its effects.
    await this.handOver();
    for (const id of IDS) await this.owner.runtime.ask('notebook', id, 'read', {});
    await this.stage.clock.advance(60_000);
    await this.check();
    this.stage.close();
  }

  private async step(): Promise<void> {
    const { random } = this;
    for (let count = random.between(0, 6); count > 0; count--) this.send();
    const fate = random.fraction();
    if (fate < 0.1) await this.kill();
    else if (fate < 0.2) await this.handOver();
    else if (fate < 0.4) this.disturb();
    else if (fate < 0.6) this.owner.store.mend();
    else if (fate < 0.7) await this.stage.clock.advance(8_000);
  }

  private send(): void {
    const entry: Sent = {
      text: `${this.sent.length}`,
      to: this.random.pick(IDS),
      other: this.random.pick(IDS),
      means: this.random.pick(['copyTo', 'shareWith']),
      acknowledged: false,
    };
    this.sent.push(entry);
    this.owner.runtime.ask('notebook', entry.to, 'add', { text: entry.text, [entry.means]: entry.other }).then(
      () => {
        entry.acknowledged = true;
      },
      (error) => assert.ok(error instanceof Unavailable, String(error)),
    );
  }

  /** Delays writes, or fails them before or after they happen. */
  private disturb(): void {
    const { random, stage } = this;
    const { store } = this.owner;
    store.beforeWrite = async () => {
      await new Promise<void>((resolve) => void stage.clock.after(random.between(1, WRITE_MS_MAX), resolve));
      if (random.chance(0.15)) throw new Unavailable('the store did not take it');
    };
    store.afterWrite = () => {
      if (random.chance(0.15)) throw new Unavailable('the store did not say that it took it');
    };
  }

  private async kill(): Promise<void> {
    // Writes under way still arrive, after the next owner has begun.
    const { owner } = this;
    owner.placement.epoch = undefined;
    owner.runtime.close();
    await this.takeOver();
    // A lease is longer than a write takes: at most one takeover happens during one.
    this.send();
    await this.stage.clock.advance(WRITE_MS_MAX + 100);
  }

  private async handOver(): Promise<void> {
    const giver = this.owner;
    const taker = await this.stage.node(undefined, LIMITS);
    const released = giver.runtime.release(STAGE_SHARDS, async (chunk) => taker.runtime.prime(chunk));
    await this.stage.clock.advance(10_000);
    await released;
    giver.placement.epoch = undefined;
    giver.runtime.close();
    this.epoch += 1;
    taker.placement.epoch = this.epoch;
    await taker.runtime.acquire(STAGE_SHARDS);
    this.owner = taker;
  }

  private async takeOver(): Promise<void> {
    this.epoch += 1;
    this.owner = await this.stage.node(this.epoch, LIMITS);
  }

  /** Checks that acknowledged commands and their effects are in the rows before any actor is asked. */
  private async checkAcknowledged(): Promise<void> {
    const rows = new Map<string, string[]>();
    for (const id of IDS) {
      const found = await this.stage.shared.range(pages, { notebook: id }, { limit: RANGE_LIMIT_MAX });
      rows.set(
        id,
        found.map(({ value }) => value.text),
      );
    }
    const times = (id: string, text: string) => rows.get(id)?.filter((line) => line === text).length;
    for (const { text, to, other, means, acknowledged } of this.sent) {
      if (!acknowledged) continue;
      assert.equal(times(to, text), 1, `${text} without being asked for`);
      const effect = `${means === 'copyTo' ? 'copy of' : 'shared'} ${text}`;
      assert.equal(times(other, effect), 1, `${effect} without being asked for`);
    }
  }

  private async check(): Promise<void> {
    const books = new Map<string, readonly string[]>();
    for (const id of IDS) {
      const { lines } = (await this.owner.runtime.ask('notebook', id, 'read', {})) as { lines: string[] };
      books.set(id, lines);
      for (const [index, text] of lines.entries()) {
        const page = await this.stage.shared.get(pages, { notebook: id, line: index + 1 });
        assert.deepEqual(page, { text }, `the page of line ${index + 1} of ${id}`);
      }
    }
    const times = (id: string, text: string) => books.get(id)?.filter((line) => line === text).length;
    for (const { text, to, other, means, acknowledged } of this.sent) {
      const there = times(to, text);
      assert.ok(there === 1 || (there === 0 && !acknowledged), `${text} is there ${there} times`);
      const effect = `${means === 'copyTo' ? 'copy of' : 'shared'} ${text}`;
      assert.equal(times(other, effect), there, effect);
    }
    for (const shard of STAGE_SHARDS) {
      assert.deepEqual(await this.stage.shared.range(backlog, { shard }, { limit: 1 }), []);
    }
  }
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  test(`an actor keeps what it acknowledged and does each effect once, whatever happens to its owners (seed ${seed})`, () =>
    new History(new SeededRandom(seed)).run());
}
