import { LazyMap, LazySet } from './lazy-collections.js';
import { Budget, fromJson, isMap, isSet, type Json, OWN, toJson } from './plain-values.js';

// A large value is written as lines of text, so that it can be written and read in parts. Each line is a JSON array of
// elements. `(` with a kind begins an element that has lines of its own, and `)` ends it. The elements of a map, and
// those of an object, are its keys and values in turn.

/** Length of text encoded, or of bytes decoded, in one turn of the event loop: some milliseconds on a busy machine. */
const SLICE_LENGTH = 65_536;
/**
 * Total weight of the elements of one line, which is encoded and parsed at once. A heavier element has lines of its
 * own; each level of it is weighed in vain first, so that most states should fit a line.
 */
const LINE_WEIGHT = SLICE_LENGTH;
const LINE_FEED = 0x0a;

/** Resolves after a turn of the event loop. Rejects when the result is no longer needed. */
export type Pause = () => Promise<void>;

/**
 * Encodes a plain value, which must not change meanwhile. A value of up to one slice is encoded without a pause.
 * @returns parts of `partBytes` bytes; the last may be smaller
 * @throws TypeError on values that `toJson` refuses; rejections of a pause
 */
export async function encodePlain(value: unknown, partBytes: number, pause: Pause): Promise<Buffer[]> {
  const parts = new Parts(partBytes);
  let lines: string[] = [];
  let length = 0;
  for (const line of linesOf([value])) {
    lines.push(line);
    length += line.length;
    if (length < SLICE_LENGTH) continue;
    parts.add(Buffer.from(`${lines.join('\n')}\n`));
    lines = [];
    length = 0;
    await pause();
  }
  if (lines.length > 0) parts.add(Buffer.from(`${lines.join('\n')}\n`));
  return parts.all();
}

/** Joins pieces into parts of equal size. */
class Parts {
  private readonly full: Buffer[] = [];
  private pieces: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly partBytes: number) {}

  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.bytes < this.partBytes) return;
    let rest = this.joined();
    for (; rest.length >= this.partBytes; rest = rest.subarray(this.partBytes))
      this.full.push(rest.subarray(0, this.partBytes));
    this.pieces = [rest];
    this.bytes = rest.length;
  }

  all(): Buffer[] {
    return this.bytes === 0 ? this.full : [...this.full, this.joined()];
  }

  private joined(): Buffer {
    const [only] = this.pieces;
    return this.pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.pieces);
  }
}

/**
 * Decodes the output of `encodePlain`; maps and sets become lazy ones. @throws Error on other bytes; rejections of a pause
 */
export async function decodePlain(bytes: Uint8Array, pause: Pause): Promise<unknown> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const open = [new Content('array')];
  let sliceEnd = SLICE_LENGTH;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(LINE_FEED, at);
    if (end < 0) throw new SyntaxError('a line has no end');
    readLine(text.toString('utf8', at, end), open);
    at = end + 1;
    if (at < sliceEnd) continue;
    sliceEnd = at + SLICE_LENGTH;
    await pause();
  }
  const [root] = open;
  const values = root?.value as unknown[];
  if (open.length !== 1 || values.length !== 1) throw new SyntaxError('the value is not whole');
  return values[0];
}

function* linesOf(elements: Iterable<unknown>): Generator<string> {
  let line: Json[] = [];
  let weight = 0;
  for (const element of elements) {
    const budget = new Budget(LINE_WEIGHT);
    const json = toJson(element, budget);
    if (budget.left <= 0 && isContainer(element)) {
      if (line.length > 0) yield JSON.stringify(line);
      line = [];
      weight = 0;
      yield* linesOfContainer(element);
      continue;
    }
    line.push(json);
    weight += LINE_WEIGHT - budget.left;
    if (weight < LINE_WEIGHT) continue;
    yield JSON.stringify(line);
    line = [];
    weight = 0;
  }
  if (line.length > 0) yield JSON.stringify(line);
}

function* linesOfContainer(container: object): Generator<string> {
  if (isMap(container)) {
    yield '(map';
    yield* linesOf(inTurn(container));
  } else if (isSet(container)) {
    yield '(set';
    yield* linesOf(container);
  } else if (Array.isArray(container)) {
    yield '(array';
    yield* linesOf(container);
  } else {
    yield '(object';
    yield* linesOf(inTurn(Object.entries(container)));
  }
  yield ')';
}

function* inTurn(entries: Iterable<readonly [unknown, unknown]>): Generator<unknown> {
  for (const [key, value] of entries) {
    yield key;
    yield value;
  }
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array);

function readLine(line: string, open: Content[]): void {
  const inner = open.at(-1) as Content;
  if (line === ')') {
    open.pop();
    const outer = open.at(-1);
    if (outer === undefined) throw new SyntaxError('more ends than beginnings');
    outer.add(inner.whole());
  } else if (line.startsWith('(')) open.push(new Content(line.slice(1)));
  else {
    const elements: unknown = JSON.parse(line);
    if (!Array.isArray(elements)) throw new SyntaxError('a line is no list');
    for (const element of elements) inner.add(fromJson(element as Json));
  }
}

/** A container that is being decoded. */
class Content {
  readonly value: LazyMap<unknown, unknown> | LazySet<unknown> | unknown[] | Record<string, unknown>;
  private key: unknown;
  private hasKey = false;

  constructor(kind: string) {
    this.value = emptyOf(kind);
  }

  add(element: unknown): void {
    const { value } = this;
    if (Array.isArray(value)) value.push(element);
    else if (value instanceof LazySet) value.add(element);
    else if (!this.hasKey) {
      this.key = element;
      this.hasKey = true;
    } else {
      if (value instanceof LazyMap) value.set(this.key, element);
      else Object.defineProperty(value, String(this.key), { ...OWN, value: element });
      this.hasKey = false;
    }
  }

  whole(): unknown {
    if (this.hasKey) throw new SyntaxError('a key has no value');
    return this.value;
  }
}

function emptyOf(kind: string): Content['value'] {
  if (kind === 'map') return new LazyMap();
  if (kind === 'set') return new LazySet();
  if (kind === 'array') return [];
  if (kind === 'object') return {};
  throw new TypeError(`a snapshot holds the unknown kind ${kind}`);
}
