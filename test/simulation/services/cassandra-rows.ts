import { type Param, type Statement, Statements } from '../../../store/cassandra/statements.js';
import { SortedRows } from '../../../store/memory/sorted-rows.js';
import type { RowWrite } from '../../../store/port.js';
import { backlog, journal } from '../../../store/tables.js';
import { above, keyTextOf, type Layout, type Shape, shapeOf } from './cql.js';

/** A row with the timestamps that determine its value in Cassandra. */
interface Cell {
  readonly layout: Layout;
  readonly key: readonly Param[];
  value: Buffer;
  /** Timestamp of the value; absent before the first write. */
  putAt: number;
  /** The latest timestamp of a deletion that covers the row. */
  removedAt: number;
}

/** A deleted range of a partition, from lo (inclusive) to hi (exclusive). */
interface RemovedRange {
  readonly lo: string;
  readonly hi: string;
  readonly at: number;
}

interface Held {
  readonly layout: Layout;
  readonly cells: SortedRows<Cell>;
  /** Partitions that were ever written, by the text of their keys. */
  readonly partitions: Set<string>;
  /** Deleted ranges by the text of the partition's key. */
  readonly removed: Map<string, RemovedRange[]>;
}

export type FoundRow = Readonly<Record<string, unknown>>;
interface Found {
  readonly rows: readonly FoundRow[];
}

const NEVER = Number.NEGATIVE_INFINITY;
const NOTHING = Buffer.alloc(0);
const DONE: Found = { rows: [] };

/**
 * The rows of a Cassandra ring on which all replicas agree, by Cassandra's rules: the write with the later timestamp
 * wins, whichever lands first; of equal timestamps a deletion wins over a value, and the greater value over the other.
 * A deleted range also covers rows that land later with an earlier timestamp. Rows do not expire: a life is short.
 */
export class CassandraRows {
  readonly backlogShards = new Set<number>();
  private readonly held = new Map<string, Held>();
  /** Timestamp of the last Paxos round, in microseconds. */
  private ballotUs = 0;

  /** @param histories receives each entry of a journal that lands, and loses none */
  constructor(private readonly histories?: CassandraRows) {}

  /** Returns the rows that the statement reads. */
  read({ query, params }: Statement): Found {
    const shape = shapeOf(query);
    if (shape.kind === 'range') return { rows: this.range(shape, params) };
    const cell = this.find(shape, params);
    if (cell === undefined || !isThere(cell)) return DONE;
    return { rows: [shape.kind === 'written' ? { written: BigInt(cell.putAt) } : { value: cell.value }] };
  }

  /** Applies a write with its timestamp in microseconds. */
  write({ query, params }: Statement, at: number): void {
    const shape = shapeOf(query);
    if (shape.kind === 'removeRange') this.removeRange(shape, params, at);
    else if (shape.kind === 'remove') remove(this.cell(shape, params), at);
    else if (shape.kind === 'put') {
      put(this.cell(shape, params), params[shape.layout.columns.length] as Buffer, at);
      const isEntry = shape.layout.table.name === journal.name && seqOf(shape.layout, params) > 0;
      if (isEntry) this.histories?.write({ query, params }, at);
    } else throw new Error(`not a write: ${query}`);
  }

  /** Applies a conditional write in one Paxos round. @param nowUs the coordinator's clock */
  swap({ query, params }: Statement, nowUs: number): Found {
    const shape = shapeOf(query);
    if (shape.kind !== 'swap') throw new Error(`not a conditional write: ${query}`);
    this.ballotUs = Math.max(this.ballotUs + 1, Math.floor(nowUs));
    const cell = this.find(shape, params);
    const current = cell !== undefined && isThere(cell) ? cell.value : undefined;
    const expected = shape.expected === undefined ? undefined : (params[shape.expected] as Buffer);
    const isExpected =
      current === undefined || expected === undefined ? current === expected : current.equals(expected);
    if (!isExpected) return { rows: [{ '[applied]': false, ...(current && { value: current }) }] };
    const changed = cell ?? this.cell(shape, params);
    if (shape.next === undefined) remove(changed, this.ballotUs);
    else put(changed, params[shape.next] as Buffer, this.ballotUs);
    return { rows: [{ '[applied]': true }] };
  }

  /** Returns true if anything was ever written into the statement's partition. */
  hasPartition({ query, params }: Statement): boolean {
    const { layout, key } = shapeOf(query);
    return this.of(layout).partitions.has(keyTextOf(params, key, key + layout.partition));
  }

  /** Every row that was ever written, or deleted as a single row, by name. */
  get rows(): Map<string, Pick<RowWrite, 'table' | 'key'>> {
    const rows = new Map<string, Pick<RowWrite, 'table' | 'key'>>();
    for (const [name, { cells, layout }] of this.held) {
      const statements = new Statements(layout.table, '');
      for (const [, cell] of cells.between('', ABOVE_ALL, false)) {
        const key = statements.keyOf(rowOf(layout, cell.key));
        rows.set(`${name} ${JSON.stringify(key)}`, { table: layout.table, key });
      }
    }
    return rows;
  }

  private range(shape: Shape & { kind: 'range' }, params: readonly Param[]): FoundRow[] {
    const { lo, hi } = boundsOf(shape, params);
    const limit = params.at(-1) as number;
    const rows: FoundRow[] = [];
    for (const [, cell] of this.of(shape.layout).cells.between(lo, hi, shape.reverse)) {
      if (!isThere(cell)) continue;
      rows.push({ ...rowOf(shape.layout, cell.key), value: cell.value });
      if (rows.length === limit) break;
    }
    return rows;
  }

  private removeRange(shape: Shape & { kind: 'removeRange' }, params: readonly Param[], at: number): void {
    const { cells, removed } = this.of(shape.layout);
    const range = { ...boundsOf(shape, params), at };
    for (const [, cell] of cells.between(range.lo, range.hi, false)) remove(cell, at);
    const partition = keyTextOf(params, 0, shape.layout.partition);
    removed.set(partition, [...(removed.get(partition) ?? []), range]);
  }

  private find({ layout, key }: Shape, params: readonly Param[]): Cell | undefined {
    return this.of(layout).cells.get(keyTextOf(params, key, key + layout.columns.length));
  }

  private cell(shape: Shape, params: readonly Param[]): Cell {
    const present = this.find(shape, params);
    if (present !== undefined) return present;
    const { layout, key: from } = shape;
    const { cells, partitions, removed } = this.of(layout);
    const key = params.slice(from, from + layout.columns.length);
    const text = keyTextOf(key, 0, key.length);
    const partition = keyTextOf(key, 0, layout.partition);
    partitions.add(partition);
    let removedAt = NEVER;
    for (const { lo, hi, at } of removed.get(partition) ?? [])
      if (lo <= text && text < hi) removedAt = Math.max(removedAt, at);
    const cell: Cell = { layout, key, value: NOTHING, putAt: NEVER, removedAt };
    cells.set(text, cell);
    if (layout.table.name === backlog.name) this.backlogShards.add(shardOf(key));
    return cell;
  }

  private of(layout: Layout): Held {
    const { name } = layout.table;
    let held = this.held.get(name);
    if (held === undefined) {
      held = { layout, cells: new SortedRows(), partitions: new Set(), removed: new Map() };
      this.held.set(name, held);
    }
    return held;
  }
}

/** A text above that of every key. */
const ABOVE_ALL = '\uffff';

function put(cell: Cell, value: Buffer, at: number): void {
  if (at < cell.putAt || (at === cell.putAt && Buffer.compare(value, cell.value) <= 0)) return;
  // A copy, because the sender may reuse its buffer.
  cell.value = Buffer.from(value);
  cell.putAt = at;
}

function remove(cell: Cell, at: number): void {
  cell.removedAt = Math.max(cell.removedAt, at);
}

const isThere = ({ putAt, removedAt }: Cell): boolean => putAt > removedAt;

function boundsOf(shape: Shape & { kind: 'range' | 'removeRange' }, params: readonly Param[]) {
  const partition = keyTextOf(params, 0, shape.layout.partition);
  const text = ({ from, end }: { from: number; end: number }) => partition + keyTextOf(params, from, end);
  return {
    lo: shape.after === undefined ? partition : above(text(shape.after)),
    hi: shape.before === undefined ? above(partition) : text(shape.before),
  };
}

function rowOf({ columns }: Layout, key: readonly Param[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [place, { name, type }] of columns.entries())
    row[name] = type === 'text' ? key[place] : (key[place] as Buffer).readBigInt64BE();
  return row;
}

/** Returns the shard of a row of the backlog. */
const shardOf = (params: readonly Param[]): number => Number((params[0] as Buffer).readBigInt64BE());

function seqOf({ columns }: Layout, params: readonly Param[]): number {
  return Number((params[columns.findIndex(({ name }) => name === 'seq')] as Buffer).readBigInt64BE());
}
