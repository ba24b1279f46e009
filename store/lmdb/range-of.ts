import { type HeldTable, keyBytes, keyText, lowerBound, type Overlay } from './overlay.js';

interface Found {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** A range of keys from lo (inclusive) to hi (exclusive). */
interface Bounds {
  readonly lo: Buffer;
  readonly hi: Buffer;
  readonly reverse: boolean;
}

/** Yields rows of one partition in order: those of the overlays (newest first) take precedence over those of LMDB. */
export function* rangeOf(
  table: HeldTable,
  overlays: readonly Overlay[],
  partition: Buffer,
  bounds: Bounds,
): Generator<Found> {
  const text = keyText(partition);
  const over = overlays.filter((overlay) => overlay.keys(table, text).length > 0);
  if (over.length === 0) {
    yield* stored(table, bounds);
    return;
  }
  const recent = merged(table, over, text, bounds);
  let next = recent.next();
  for (const row of stored(table, bounds)) {
    const key = keyText(row.key);
    while (!next.done && comesBefore(next.value.text, key, bounds.reverse)) {
      if (next.value.value !== null) yield { key: keyBytes(next.value.text), value: next.value.value };
      next = recent.next();
    }
    if (next.done || next.value.text !== key) yield row;
  }
  for (; !next.done; next = recent.next()) {
    if (next.value.value !== null) yield { key: keyBytes(next.value.text), value: next.value.value };
  }
}

/** Returns the partitions' parts of the keys in LMDB and in the overlays, also of removed rows. */
export function partitionsOf(table: HeldTable, overlays: readonly Overlay[]): Set<string> {
  const { db, layout } = table;
  const names = new Set(overlays.flatMap((overlay) => [...overlay.partitions(table)]));
  for (let start: Buffer = Buffer.alloc(0); ; ) {
    const [first] = db.getKeys({ start, limit: 1 });
    if (first === undefined) return names;
    const text = keyText(first);
    const name = text.slice(0, layout.partitionLength(text));
    names.add(name);
    start = layout.endOf(keyBytes(name));
  }
}

function stored({ db }: HeldTable, { lo, hi, reverse }: Bounds): Iterable<Found> {
  return db.getRange(
    reverse ? { start: hi, exclusiveStart: true, end: lo, inclusiveEnd: true, reverse: true } : { start: lo, end: hi },
  );
}

const comesBefore = (a: string, b: string, reverse: boolean): boolean => (reverse ? a > b : a < b);

/** Yields the overlays' rows of the partition, each key once. */
function* merged(
  table: HeldTable,
  overlays: readonly Overlay[],
  partition: string,
  { lo, hi, reverse }: Bounds,
): Generator<{ readonly text: string; readonly value: Buffer | null }> {
  const [from, to] = [keyText(lo), keyText(hi)];
  const step = reverse ? -1 : 1;
  const sources = overlays.map((overlay) => {
    const keys = overlay.keys(table, partition);
    const first = lowerBound(keys, from);
    // An empty range may have its bounds in reverse order.
    const end = Math.max(first, lowerBound(keys, to));
    return { overlay, keys, at: reverse ? end - 1 : first, end: reverse ? first - 1 : end };
  });
  for (;;) {
    let text: string | undefined;
    for (const { keys, at, end } of sources) {
      if (at === end) continue;
      const key = keys[at] as string;
      if (text === undefined || comesBefore(key, text, reverse)) text = key;
    }
    if (text === undefined) return;
    let value: Buffer | null | undefined;
    for (const source of sources) {
      if (source.at === source.end || source.keys[source.at] !== text) continue;
      // The first overlay is the newest.
      if (value === undefined) value = source.overlay.get(table, text);
      source.at += step;
    }
    yield { text, value: value ?? null };
  }
}
