import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DamagedLog, FrameEncoder, readLog } from '../../../store/lmdb/log-format.js';
import type { Change, HeldTable } from '../../../store/lmdb/overlay.js';

const storeId = Buffer.from('8f1d2c3b4a596877', 'hex');
// Encoding reads only the table's name and index.
const table = { name: 'rows', index: 0 } as HeldTable;

/** The value differs between logs, so that no byte of an earlier log completes a write of a later one. */
const change = (log: number, frame: number): Change => ({
  table,
  key: Buffer.from(`key ${frame}`),
  bytes: Buffer.alloc(1 + frame * 9, log),
});

function frames(log: number, count: number): Buffer[] {
  const encoder = new FrameEncoder(storeId, [table]);
  return Array.from({ length: count }, (_, frame) => {
    const end = encoder.encode(log, frame, 0, [change(log, frame), change(log, frame + 100)]);
    return Buffer.from(encoder.bytes.subarray(0, end));
  });
}

const ends = (parts: readonly Buffer[]): number[] => {
  let end = 0;
  return parts.map(({ length }) => (end += length));
};

/** Writes the bytes over an earlier log, whose frames end at other offsets. */
function over(bytes: Buffer): Buffer {
  const file = Buffer.concat([Buffer.from('x'), ...frames(3, 9)]);
  file.set(storeId, 0);
  bytes.copy(file);
  return file;
}

test('a log that is cut at any byte has every write that is whole', () => {
  const parts = frames(7, 5);
  const all = Buffer.concat(parts);
  for (let cut = 0; cut <= all.length; cut++) {
    const whole = ends(parts).filter((end) => end <= cut).length;
    for (const file of [all.subarray(0, cut), over(all.subarray(0, cut))]) {
      const found = readLog(file, storeId, 6);
      assert.equal(found?.frames ?? 0, whole, `cut at ${cut}`);
      assert.equal(found?.changes.length ?? 0, 2 * whole);
    }
  }
});

test('any bit that flips before the last write is damage; in the last write it is an unfinished write', () => {
  const parts = frames(7, 4);
  const all = Buffer.concat(parts);
  const last = ends(parts).at(-2) as number;
  for (let at = 0; at < all.length; at++) {
    const bytes = over(all);
    bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
    if (at < last) assert.throws(() => readLog(bytes, storeId, 6), DamagedLog, `byte ${at}`);
    else assert.equal(readLog(bytes, storeId, 6)?.frames, 3, `byte ${at}`);
  }
});

test('a log whose rows LMDB has is ignored, damaged or not', () => {
  const bytes = Buffer.concat(frames(7, 4));
  assert.equal(readLog(bytes, storeId, 7), undefined);
  bytes[100] = (bytes[100] as number) ^ 1;
  assert.equal(readLog(bytes, storeId, 7), undefined);
});

test('a file of zeros is empty, one of another store or format is refused', () => {
  assert.equal(readLog(Buffer.alloc(1_000), storeId, 0), undefined);
  assert.equal(readLog(Buffer.alloc(0), storeId, 0), undefined);
  assert.throws(() => readLog(Buffer.concat(frames(7, 4)), Buffer.alloc(8, 1), 0), DamagedLog);
  assert.throws(() => readLog(Buffer.from('{"magic":"murmuration writes 1"}'), storeId, 0), DamagedLog);
});
