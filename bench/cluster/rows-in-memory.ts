import { setTimeout as after } from 'node:timers/promises';
import { CassandraTables } from '../../store/cassandra/cassandra-tables.js';
import { KeyLayout } from '../../store/keys.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import type { RangeOptions, Row, RowWrite } from '../../store/port.js';
import type { AnyTable, Columns, KeyOf, Table } from '../../store/table.js';

// For a trial: Node loads this file before a cluster's node (`--import`). After a SIGUSR2 the node stores its rows in
// its own memory and sends Cassandra none. It shows the cost of an operation with a store that costs nothing. Never run
// a server this way: nothing is durable, and other nodes do not see the rows.

/** Delay of the answer to a write, about that of Cassandra. */
const ANSWER_MS = 3;

const stored = { get: CassandraTables.prototype.get, range: CassandraTables.prototype.range };
const memory = new MemoryTables();
const removed = new Set<string>();
const layouts = new Map<AnyTable, KeyLayout>();
let answer: Promise<void> | undefined;

// The patch applies to the classes of modules, not of the bundle; node checks this flag when it starts.
process.setSourceMapsEnabled(true);
process.once('SIGUSR2', () => {
  process.setSourceMapsEnabled(false);
  Object.assign(CassandraTables.prototype, { get, range, write });
});

async function get<P extends Columns, C extends Columns, V>(
  this: CassandraTables,
  table: Table<P, C, V>,
  key: KeyOf<P> & KeyOf<C>,
): Promise<V | undefined> {
  const own = await memory.get(table, key);
  if (own !== undefined || removed.has(named(table, key))) return own;
  return stored.get.call(this, table, key) as Promise<V | undefined>;
}

async function range<P extends Columns, C extends Columns, V>(
  this: CassandraTables,
  table: Table<P, C, V>,
  partition: KeyOf<P>,
  options: RangeOptions<C>,
): Promise<Row<P, C, V>[]> {
  const own = await memory.range(table, partition, options);
  const below = (await stored.range.call(this, table, partition, options as RangeOptions<Columns>)) as Row<P, C, V>[];
  const all = new Map<string, Row<P, C, V>>();
  for (const row of below) if (!removed.has(named(table, row.key))) all.set(named(table, row.key), row);
  for (const row of own) all.set(named(table, row.key), row);
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return (options.reverse === true ? sorted.reverse() : sorted).slice(0, options.limit);
}

async function write(this: CassandraTables, rows: readonly RowWrite[]): Promise<void> {
  for (const { table, key, value } of rows) {
    if (value === undefined) removed.add(named(table, key));
    else if (removed.size > 0) removed.delete(named(table, key));
  }
  void memory.write(rows);
  answer ??= after(ANSWER_MS).finally(() => {
    answer = undefined;
  });
  await answer;
}

/** Returns a name that sorts in the order of the keys. */
function named(table: AnyTable, key: Readonly<Record<string, string | number>>): string {
  let layout = layouts.get(table);
  if (layout === undefined) {
    layout = new KeyLayout(table);
    layouts.set(table, layout);
  }
  return `${table.name}\0${layout.key(key).toString('latin1')}`;
}
