import type { ReadTables } from '../../../store/port.js';
import type { AnyTable } from '../../../store/table.js';
import type { Delivery } from '../asking/delivery.js';
import type { RowName } from '../carried-rows.js';
import type { Moment } from '../placement/steady-clock.js';
import { type ActorCore, type Decided, NotKnownYet } from '../state/core.js';

/** Row values by the command whose decision needs them; null for a row that does not exist. */
export type ReadRows = ReadonlyMap<Delivery, unknown>;

/** A decided command whose reply waits for the batch to be durable. */
export interface Answer {
  readonly delivery: Delivery;
  readonly reply: unknown;
  /** Last entry that the reply may depend on. */
  readonly seq: number;
}

export interface DecidedBatch {
  readonly answers: readonly Answer[];
  readonly decided: readonly Decided[];
  readonly repeats: number;
  /** The command whose decision or application threw. Earlier commands of the batch stand. */
  readonly fault?: { readonly delivery: Delivery; readonly error: Error };
  /** Commands behind the fault, not decided. */
  readonly untouched: readonly Delivery[];
}

/** Reads the rows that the commands' decisions need. Returns undefined synchronously when they need none. */
export function rowsFor(
  core: ActorCore,
  taken: readonly Delivery[],
  tables: Pick<ReadTables, 'getMany'>,
): Promise<ReadRows> | undefined {
  let named: [Delivery, RowName][] | undefined;
  for (const delivery of taken) {
    const name = core.rowFor(delivery.command, delivery.input);
    if (name === undefined) continue;
    named ??= [];
    named.push([delivery, name]);
  }
  return named && readRows(named, tables);
}

async function readRows(
  named: readonly (readonly [Delivery, RowName])[],
  tables: Pick<ReadTables, 'getMany'>,
): Promise<ReadRows> {
  const rows = new Map<Delivery, unknown>();
  const byTable = new Map<AnyTable, (readonly [Delivery, RowName])[]>();
  for (const one of named) {
    const known = byTable.get(one[1].table);
    if (known === undefined) byTable.set(one[1].table, [one]);
    else known.push(one);
  }
  for (const [table, some] of byTable) {
    const values = await tables.getMany(
      table,
      some.map(([, { key }]) => key),
    );
    for (const [place, [delivery]] of some.entries()) rows.set(delivery, values[place] ?? null);
  }
  return rows;
}

/** Marks the entries of a batch as decided after a reply had left although effects of earlier entries were pending. */
export function afterEarlyReply(decided: readonly Decided[]): readonly Decided[] {
  return decided.map(({ entry, record }) => ({
    entry: { ...entry, afterEarlyReply: true },
    record: { ...record, afterEarlyReply: true },
  }));
}

/** Decides commands in order; each sees the results of those before it. */
export function decideBatch(
  core: ActorCore,
  taken: readonly Delivery[],
  now: Moment,
  /** Taken before the rows were read. */
  settledSeq: number,
  rows?: ReadRows,
): DecidedBatch {
  const answers: Answer[] = [];
  const decided: Decided[] = [];
  let repeats = 0;
  for (const [index, delivery] of taken.entries()) {
    // The caller of a closed delivery has given up, so nobody would see the result.
    if (!delivery.open) continue;
    try {
      const handled = core.handle(delivery, now, settledSeq, rows?.get(delivery));
      if (handled.repeated) repeats += 1;
      if (handled.decided !== undefined) decided.push(handled.decided);
      answers.push({ delivery, reply: handled.reply, seq: core.seq });
    } catch (error) {
      if (error instanceof NotKnownYet) {
        delivery.fail(error);
        continue;
      }
      const fault = { delivery, error: error as Error };
      return { answers, decided, repeats, fault, untouched: taken.slice(index + 1) };
    }
  }
  return { answers, decided, repeats, untouched: [] };
}
