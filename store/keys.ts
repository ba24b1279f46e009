import { isId, storedId, writeId, writeWords } from '../actors/domain/ids.js';
import type { Bounds } from './port.js';
import type { AnyTable, Columns, ColumnType } from './table.js';

type Key = Readonly<Record<string, string | number>>;

/** Maximum size of a text column. Two such columns and two numbers stay below LMDB's 1,978 bytes. */
export const TEXT_BYTES_MAX = 512;
/** LMDB's limit for a key with pages of 4 KiB. */
const KEY_BYTES_MAX = 1_978;
const NUMBER_BYTES = 8;
const TWO_32 = 2 ** 32;
const END = Buffer.from([0, 0]);

/**
 * Encodes keys of one table as bytes whose order (unsigned, byte by byte) is the order of the columns' values. `id` and
 * `int` take 8 bytes, big-endian; `text` is its UTF-8 with 00 escaped as 00 FF, ended by 00 00.
 */
export class KeyLayout {
  private readonly partition: readonly Column[];
  private readonly clustering: readonly Column[];
  private readonly all: readonly Column[];

  constructor(table: AnyTable) {
    this.partition = columnsOf(table.partition);
    this.clustering = columnsOf(table.clustering);
    this.all = [...this.partition, ...this.clustering];
  }

  key(key: Key): Buffer {
    return encode(this.all, key);
  }

  partitionKey(key: Key): Buffer {
    return encode(this.partition, key);
  }

  /** True if several rows may share a partition. */
  get ranged(): boolean {
    return this.clustering.length > 0;
  }

  /** Returns the length of the partition's part of a key; `key` has one character a byte. */
  partitionLength(key: string): number {
    let at = 0;
    for (const { type } of this.partition)
      at = type === 'text' ? key.indexOf('\0\0', at) + END.length : at + NUMBER_BYTES;
    return at;
  }

  /** Returns the range of keys from lo (inclusive) to hi (exclusive). */
  bounds<C extends Columns>(partition: Key, options: Bounds<C>): { readonly lo: Buffer; readonly hi: Buffer } {
    const prefix = this.partitionKey(partition);
    const after = options.after && encode(prefixOf(this.clustering, options.after as Key), options.after as Key);
    const before = options.before && encode(prefixOf(this.clustering, options.before as Key), options.before as Key);
    return {
      lo: after?.length ? successor(Buffer.concat([prefix, after])) : prefix,
      hi: before?.length ? Buffer.concat([prefix, before]) : successor(prefix),
    };
  }

  /** Returns the lowest key above all keys of a partition. */
  endOf(partition: Buffer): Buffer {
    return successor(partition);
  }

  decode(bytes: Buffer): Record<string, string | number> {
    return decode(this.all, bytes);
  }

  /** Decodes the partition's part of a key. */
  decodePartition(bytes: Buffer): Record<string, string | number> {
    return decode(this.partition, bytes);
  }
}

function decode(columns: readonly Column[], bytes: Buffer): Record<string, string | number> {
  const key: Record<string, string | number> = {};
  let at = 0;
  for (const { name, type } of columns) {
    if (type === 'text') {
      const end = endOfText(bytes, at);
      key[name] = unescapeNul(bytes.subarray(at, end)).toString('utf8');
      at = end + END.length;
    } else {
      key[name] = type === 'id' ? idText(bytes.readBigUInt64BE(at)) : readInt(bytes, at);
      at += NUMBER_BYTES;
    }
  }
  return key;
}

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export function columnsOf(columns: Columns): Column[] {
  return Object.entries(columns).map(([name, type]) => ({ name, type }));
}

/** Returns the leading columns that the bound names. @throws RangeError when the bound omits a column before another */
export function prefixOf(columns: readonly Column[], bound: Key): Column[] {
  const given = Object.keys(bound).filter((name) => bound[name] !== undefined).length;
  const prefix = columns.slice(0, given);
  if (prefix.length !== given || prefix.some(({ name }) => bound[name] === undefined)) {
    throw new RangeError(`a bound is not a prefix of the clustering columns: ${Object.keys(bound).join()}`);
  }
  return prefix;
}

/** Formats an id of the store: always 18 digits. */
export const idText = (value: bigint): string => storedId(value.toString());

/** Checks a value against the type of its column; callers validate input long before. @throws RangeError */
export function checkColumn(column: Column, value: string | number | undefined): void {
  if (!fits(column.type, value))
    throw new RangeError(`${String(value)} is not a valid ${column.type} for ${column.name}`);
}

function fits(type: ColumnType, value: string | number | undefined): boolean {
  if (type === 'int') return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  if (typeof value !== 'string') return false;
  if (type === 'id') return isId(value);
  return isTextKey(value);
}

/** Returns true if a `text` column can hold it. */
export function isTextKey(text: string): boolean {
  return text.length * 3 <= TEXT_BYTES_MAX || Buffer.byteLength(text) <= TEXT_BYTES_MAX;
}

function encode(columns: readonly Column[], key: Key): Buffer {
  let size = 0;
  for (const column of columns) {
    const value = key[column.name];
    checkColumn(column, value);
    size += column.type === 'text' ? textBytes(value as string) : NUMBER_BYTES;
  }
  if (size > KEY_BYTES_MAX) throw new RangeError(`a key has ${size} bytes, the maximum is ${KEY_BYTES_MAX}`);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { name, type } of columns) {
    const value = key[name];
    if (type === 'text') at = writeText(bytes, value as string, at);
    else if (type === 'id') at = writeId(bytes, value as string, at);
    else at = writeWords(bytes, Math.floor((value as number) / TWO_32), (value as number) % TWO_32, at);
  }
  return bytes;
}

function textBytes(text: string): number {
  const escapes = text.includes('\0') ? text.split('\0').length - 1 : 0;
  return Buffer.byteLength(text) + escapes + END.length;
}

function writeText(bytes: Buffer, text: string, from: number): number {
  const at = from + (text.includes('\0') ? escapeNul(Buffer.from(text)).copy(bytes, from) : bytes.write(text, from));
  return at + END.copy(bytes, at);
}

const readInt = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at) * TWO_32 + bytes.readUInt32BE(at + 4);

function escapeNul(bytes: Buffer): Buffer {
  const out: number[] = [];
  for (const byte of bytes) {
    out.push(byte);
    if (byte === 0) out.push(0xff);
  }
  return Buffer.from(out);
}

function unescapeNul(bytes: Buffer): Buffer {
  if (!bytes.includes(0)) return bytes;
  return Buffer.from(bytes.filter((byte, index) => !(byte === 0xff && bytes[index - 1] === 0)));
}

function endOfText(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] !== 0 || bytes[at + 1] !== 0) {
    if (at >= bytes.length) throw new RangeError('a text column of a key has no end');
    at += bytes[at] === 0 ? 2 : 1;
  }
  return at;
}

/** Returns the smallest key above all keys that begin with the prefix. No prefix consists of FF only. */
function successor(prefix: Buffer): Buffer {
  const bytes = Buffer.from(prefix);
  let at = bytes.length - 1;
  while (bytes[at] === 0xff) at -= 1;
  bytes[at] = (bytes[at] as number) + 1;
  return bytes.subarray(0, at + 1);
}
