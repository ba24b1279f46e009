import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Journal } from '../../store/journal.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import type { RowWrite, Tables } from '../../store/port.js';
import { fc } from '../kit/property.js';

/**
 * An owner's next step: an append that lands, one that is reported failed and lands later, or the loss of the shard.
 */
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('append' as const), entries: fc.integer({ min: 1, max: 3 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('late' as const), entries: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('takeover' as const) }) },
  ),
  { maxLength: 25 },
);
const ACTOR = 'account/1';

/** A process's access to the store, whose writes can be delayed. */
class Line {
  holding = false;
  constructor(
    private readonly shared: Tables,
    private readonly held: (readonly RowWrite[])[],
  ) {}

  tables(): Tables {
    const { shared } = this;
    return {
      get: (...args) => shared.get(...args),
      getMany: (...args) => shared.getMany(...args),
      range: (...args) => shared.range(...args),
      removeRange: (...args) => shared.removeRange(...args),
      compareAndSet: (...args) => shared.compareAndSet(...args),
      close: async () => undefined,
      write: async (rows) => {
        if (!this.holding) return shared.write(rows);
        this.held.push(rows);
        throw new Error('the store did not answer in time');
      },
    };
  }
}

async function labelsOf(journal: Journal, epoch: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { record } of journal.read(ACTOR, 0, epoch)) found.push(record.events[0]?.type ?? '');
  return found;
}

test('every acknowledged entry stays in order, with any late writes', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.infiniteStream(fc.nat()), async (story, dice) => {
      const shared = new MemoryTables();
      const held: (readonly RowWrite[])[] = [];
      const acknowledged: string[] = [];
      const land = async () => {
        const [rows] = held.splice((dice.next().value as number) % held.length, 1);
        if (rows !== undefined) await shared.write(rows);
      };
      let epoch = 1;
      let labelled = 0;
      let line = new Line(shared, held);
      let journal = new Journal(line.tables());
      let history = await labelsOf(journal, epoch);
      for (const step of story) {
        while (held.length > 0 && (dice.next().value as number) % 3 === 0) await land();
        if (step.kind === 'takeover') {
          epoch += 1;
          line = new Line(shared, held);
          journal = new Journal(line.tables());
        } else {
          const labels = Array.from({ length: step.entries }, () => `${++labelled} of ${epoch}`);
          const records = labels.map((type) => ({ atMs: 1, events: [{ type, payload: new Uint8Array() }] }));
          line.holding = step.kind === 'late';
          const stored = await journal.append(ACTOR, history.length, epoch, records).then(
            () => true,
            () => false,
          );
          line.holding = false;
          if (stored) {
            acknowledged.push(...labels);
            history.push(...labels);
            continue;
          }
        }
        history = await labelsOf(journal, epoch);
        assert.deepEqual(
          history.filter((label) => acknowledged.includes(label)),
          acknowledged,
        );
      }
      while (held.length > 0) await land();
      const final = await labelsOf(new Journal(shared), epoch + 1);
      assert.deepEqual(
        final.filter((label) => acknowledged.includes(label)),
        acknowledged,
      );
      assert.equal(new Set(final).size, final.length);
    }),
    { numRuns: 2_000 },
  );
});
