import { storedId } from '../../actors/domain/ids.js';
import { type Column, checkColumn, columnsOf, idText, prefixOf } from '../keys.js';
import type { Bounds, RangeOptions } from '../port.js';
import type { AnyTable, Columns } from '../table.js';

type Key = Readonly<Record<string, string | number>>;
export type Param = string | number | Buffer;

export interface Statement {
  readonly query: string;
  readonly params: Param[];
}

/** The CQL of one table. The texts are few and fixed, so the driver prepares each once. */
export class Statements {
  private readonly name: string;
  private readonly partition: readonly Column[];
  private readonly clustering: readonly Column[];
  private readonly all: readonly Column[];
  private readonly where: string;
  /** Column types, part of the names: the same text is encoded differently by a column of another type. */
  private readonly partitionTypes: string;
  private readonly texts: { select: string; written: string; insert: string; remove: string; update: string };
  private readonly rangeSelects = new Map<number, string>();
  private readonly rangeRemovals = new Map<number, string>();

  /**
   * The texts name the keyspace: a server that has evicted a statement prepared without one may use the statement of
   * another keyspace that prepared the same text. Source: CASSANDRA-15252.
   */
  constructor(
    private readonly table: AnyTable,
    keyspace: string,
  ) {
    this.name = `${quoted(keyspace)}.${quoted(table.name)}`;
    this.partition = columnsOf(table.partition);
    this.clustering = columnsOf(table.clustering);
    this.all = [...this.partition, ...this.clustering];
    this.partitionTypes = this.partition.map(({ type }) => ` ${type}`).join('');
    const names = this.all.map(({ name }) => quoted(name));
    this.where = names.map((name) => `${name} = ?`).join(' AND ');
    const marks = names.map(() => '?').join(', ');
    this.texts = {
      written: `SELECT WRITETIME(value) AS written FROM ${this.name} WHERE ${this.where}`,
      select: `SELECT value FROM ${this.name} WHERE ${this.where}`,
      insert: `INSERT INTO ${this.name} (${names.join(', ')}, value) VALUES (${marks}, ?)`,
      remove: `DELETE FROM ${this.name} WHERE ${this.where}`,
      update: `UPDATE ${this.name} SET value = ? WHERE ${this.where} IF value = ?`,
    };
  }

  select(key: Key): Statement {
    return { query: this.texts.select, params: params(this.all, key) };
  }

  /** Selects the timestamp of the row's last write. */
  written(key: Key): Statement {
    return { query: this.texts.written, params: params(this.all, key) };
  }

  put(key: Key, value: Buffer): Statement {
    const all: Param[] = params(this.all, key);
    all.push(value);
    return { query: this.texts.insert, params: all };
  }

  remove(key: Key): Statement {
    return { query: this.texts.remove, params: params(this.all, key) };
  }

  /**
   * Returns the name of the partition key, which partitions of other tables may share. Two keys may have the same name;
   * one key never has two names.
   */
  partitionOf(key: Key): string {
    return named(this.partitionTypes, this.partition, key);
  }

  /** Returns the name of the row, unique over all tables, from the name of its partition key. */
  rowOf(partition: string, key: Key): string {
    return named(this.table.name + partition, this.clustering, key);
  }

  /** Either `expected` or `next` must be defined. */
  swap(key: Key, expected: Buffer | undefined, next: Buffer | undefined): Statement {
    const at = params(this.all, key);
    if (expected === undefined) {
      if (next === undefined) throw new TypeError('nothing to change');
      return { query: `${this.texts.insert} IF NOT EXISTS`, params: [...at, next] };
    }
    if (next === undefined) return { query: `${this.texts.remove} IF value = ?`, params: [...at, expected] };
    return { query: this.texts.update, params: [next, ...at, expected] };
  }

  range<C extends Columns>(partition: Key, options: RangeOptions<C>): Statement {
    const { after, before, values } = this.between(partition, options);
    values.push(options.limit);
    const isReverse = options.reverse === true;
    const form = formOf(after, before, isReverse);
    const query = this.rangeSelects.get(form) ?? this.rangeSelect(after, before, isReverse);
    this.rangeSelects.set(form, query);
    return { query, params: values };
  }

  removeRange<C extends Columns>(partition: Key, bounds: Bounds<C>): Statement {
    const { after, before, values } = this.between(partition, bounds);
    const form = formOf(after, before, false);
    const query = this.rangeRemovals.get(form) ?? `DELETE FROM ${this.name} WHERE ${this.whereBetween(after, before)}`;
    this.rangeRemovals.set(form, query);
    return { query, params: values };
  }

  /** Returns the number of columns of each bound, 0 without one, and the values of all columns. */
  private between<C extends Columns>(partition: Key, bounds: Bounds<C>) {
    const values = params(this.partition, partition);
    const lengthOf = (bound: Key | undefined): number => {
      if (bound === undefined) return 0;
      const prefix = prefixOf(this.clustering, bound);
      values.push(...params(prefix, bound));
      return prefix.length;
    };
    const after = lengthOf(bounds.after as Key | undefined);
    return { after, before: lengthOf(bounds.before as Key | undefined), values };
  }

  private rangeSelect(after: number, before: number, isReverse: boolean): string {
    const columns = [...this.all.map(({ name }) => quoted(name)), 'value'].join(', ');
    const order = this.clustering.map(({ name }) => `${quoted(name)} DESC`).join(', ');
    const ordered = isReverse && order !== '' ? ` ORDER BY ${order}` : '';
    return `SELECT ${columns} FROM ${this.name} WHERE ${this.whereBetween(after, before)}${ordered} LIMIT ?`;
  }

  private whereBetween(after: number, before: number): string {
    const conditions = this.partition.map(({ name }) => `${quoted(name)} = ?`);
    for (const [sign, length] of [
      ['>', after],
      ['<', before],
    ] as const) {
      const prefix = this.clustering.slice(0, length);
      if (length === 0) continue;
      conditions.push(
        `(${prefix.map(({ name }) => quoted(name)).join(', ')}) ${sign} (${prefix.map(() => '?').join(', ')})`,
      );
    }
    return conditions.join(' AND ');
  }

  keyOf(row: Readonly<Record<string, unknown>>): Record<string, string | number> {
    const key: Record<string, string | number> = {};
    for (const { name, type } of this.all) {
      const value = row[name];
      if (type === 'text') key[name] = value as string;
      else key[name] = type === 'id' ? idText(value as bigint) : Number(value);
    }
    return key;
  }
}

/** Columns of a bound, at most: each form of a range has a number of its own. */
const BOUND_COLUMNS_MAX = 16;

/** Returns a number for the text of a range: the same for all ranges with bounds of these columns. */
const formOf = (after: number, before: number, isReverse: boolean): number =>
  (after * BOUND_COLUMNS_MAX + before) * 2 + (isReverse ? 1 : 0);

function named(whole: string, columns: readonly Column[], key: Key): string {
  let text = whole;
  for (const { name, type } of columns) {
    const value = key[name];
    text += `\0${type === 'id' ? storedId(value as string) : value}`;
  }
  return text;
}

export const quoted = (name: string): string => `"${name}"`;

function params(columns: readonly Column[], key: Key): Param[] {
  const all: Param[] = [];
  for (const column of columns) {
    const value = key[column.name];
    checkColumn(column, value);
    all.push(column.type === 'text' ? (value as string) : bigintBytes(BigInt(value as string | number)));
  }
  return all;
}

/** Encodes a bigint as Cassandra does: the driver passes bytes on unchanged. */
function bigintBytes(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
