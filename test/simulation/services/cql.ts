import type { Param } from '../../../store/cassandra/statements.js';
import { type Column, columnsOf } from '../../../store/keys.js';
import type { AnyTable } from '../../../store/table.js';
import { allTables } from '../../../store/tables.js';

/** A table in Cassandra. */
export interface Layout {
  readonly table: AnyTable;
  /** All columns of the key. */
  readonly columns: readonly Column[];
  /** Number of partition columns among them. */
  readonly partition: number;
}

interface Places {
  readonly layout: Layout;
  /** Index of the first parameter with a column of the key; the other columns follow it. */
  readonly key: number;
}

/** A bound of a range: the indexes of its columns' values after the partition's. */
interface Bound {
  readonly from: number;
  readonly end: number;
}

interface Between {
  readonly after: Bound | undefined;
  readonly before: Bound | undefined;
}

/** A parsed statement of `Statements` (store/cassandra). */
export type Shape =
  | (Places & { readonly kind: 'get' | 'written' | 'remove' })
  | (Places & { readonly kind: 'put' })
  | (Places & Between & { readonly kind: 'range'; readonly reverse: boolean })
  | (Places & Between & { readonly kind: 'removeRange' })
  | (Places & {
      readonly kind: 'swap';
      /** Index of the expected value; undefined: the row must be absent. */
      readonly expected: number | undefined;
      /** Index of the next value; undefined: the row is deleted. */
      readonly next: number | undefined;
    });

const TABLE = /(?:FROM|INTO|UPDATE) "\w+"\."(\w+)"/;
const EQUAL = /"\w+" = \?/g;
const BOUND = /\(([^()]*)\) ([<>]) \(/g;

const layouts = new Map<string, Layout>(
  allTables.map((table: AnyTable) => {
    const partition = columnsOf(table.partition);
    return [
      table.name,
      { table, columns: [...partition, ...columnsOf(table.clustering)], partition: partition.length },
    ];
  }),
);
const shapes = new Map<string, Shape>();

/** Returns the shape of a statement's text; the texts are few. */
export function shapeOf(query: string): Shape {
  let shape = shapes.get(query);
  if (shape === undefined) {
    shape = parsed(query);
    shapes.set(query, shape);
  }
  return shape;
}

function parsed(query: string): Shape {
  const layout = layouts.get(TABLE.exec(query)?.[1] ?? '');
  if (layout === undefined) throw new Error(`not a statement of the adapter: ${query}`);
  const { length } = layout.columns;
  const whole = { layout, key: 0 };
  if (query.startsWith('INSERT')) {
    const isNew = query.endsWith('IF NOT EXISTS');
    return isNew ? { kind: 'swap', ...whole, expected: undefined, next: length } : { kind: 'put', ...whole };
  }
  if (query.startsWith('UPDATE')) return { kind: 'swap', layout, key: 1, expected: length + 1, next: 0 };
  if (query.startsWith('DELETE') && query.endsWith(' IF value = ?'))
    return { kind: 'swap', ...whole, expected: length, next: undefined };
  if (query.startsWith('SELECT value ')) return { kind: 'get', ...whole };
  if (query.startsWith('SELECT WRITETIME')) return { kind: 'written', ...whole };
  const bounds = boundsOf(query, layout.partition);
  if (!query.startsWith('DELETE')) return { kind: 'range', ...whole, ...bounds, reverse: query.includes(' DESC') };
  const isRow = query.match(EQUAL)?.length === length;
  return isRow ? { kind: 'remove', ...whole } : { kind: 'removeRange', ...whole, ...bounds };
}

function boundsOf(query: string, from: number): Between {
  let at = from;
  let after: Bound | undefined;
  let before: Bound | undefined;
  for (const [, names = '', sign] of query.matchAll(BOUND)) {
    const bound = { from: at, end: at + names.split(',').length };
    at = bound.end;
    if (sign === '>') after = bound;
    else before = bound;
  }
  return { after, before };
}

/** Returns the columns as text of one character a byte, which sorts as Cassandra sorts the columns. */
export function keyTextOf(params: readonly Param[], from: number, end: number): string {
  let text = '';
  for (let place = from; place < end; place++) {
    const param = params[place];
    if (typeof param === 'string') text += `${escaped(param)}\0\0`;
    else text += (param as Buffer).toString('latin1');
  }
  return text;
}

const escaped = (text: string): string => Buffer.from(text).toString('latin1').replaceAll('\0', '\0\xff');

/** Returns the first text above all texts that begin with the prefix. */
export function above(prefix: string): string {
  let at = prefix.length - 1;
  while (prefix.charCodeAt(at) === 0xff) at -= 1;
  return prefix.slice(0, at) + String.fromCharCode(prefix.charCodeAt(at) + 1);
}
