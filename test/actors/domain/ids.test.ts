import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraOfId, eraOfMs, idMs, idShard, idsApart, laterId, makeId, writeId } from '../../../actors/domain/ids.js';
import { fc } from '../../kit/property.js';

/** The era of the largest id, which is below 10^18. */
const ERA_MAX = 888;

test('the era of an id is that of its milliseconds, also next to the boundaries', () => {
  const anyId = fc.bigInt(0n, 10n ** 18n - 1n);
  const nearBoundary = fc
    .tuple(fc.integer({ min: 1, max: ERA_MAX - 1 }), fc.integer({ min: -300, max: 300 }))
    .map(([era, off]) => (BigInt(era) << 50n) + BigInt(off));
  fc.assert(
    fc.property(fc.oneof(anyId, nearBoundary), (number) => {
      for (const id of [String(number), String(number).padStart(18, '0')]) {
        assert.equal(eraOfId(id), eraOfMs(idMs(id)), id);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('the milliseconds of an id are its upper 48 bits and its shard the 10 below, whatever its length and lower bits', () => {
  const ids = ['0', '1', '65535', '65536', '999999999', '1000000000', '9'.repeat(18), '000000000000065536'];
  for (let ms = 1; ms < 2 ** 43; ms = ms * 3 + 7)
    for (const lower of [0n, 1n, 64n, 4_095n, 32_768n, 65_471n, 65_535n])
      ids.push(((BigInt(ms) << 16n) | lower).toString());
  for (const id of ids) {
    assert.equal(idMs(id), Number(BigInt(id) >> 16n), id);
    assert.equal(idMs(id.padStart(18, '0')), idMs(id), id);
    for (const text of [id, id.padStart(18, '0')])
      assert.equal(idShard(text), Number((BigInt(id) >> 6n) & 1_023n), text);
  }
});

test('the difference of two ids is exact, near and far', () => {
  const far = fc.bigInt(0n, 10n ** 18n - 1n);
  const offset = fc.oneof(
    far,
    fc.bigInt(-200_000n, 200_000n),
    fc.bigInt(-(2n ** 30n), 2n ** 30n).map((off) => off + 2n ** 53n),
  );
  fc.assert(
    fc.property(far, offset, (one, off) => {
      const other = (one + off + 10n ** 18n) % 10n ** 18n;
      assert.equal(BigInt(idsApart(String(one), String(other).padStart(18, '0'))), one - other);
    }),
    { numRuns: 2_000 },
  );
});

test('the later of two ids is found in either order, and beside no other id', () => {
  const [earlier, later] = [makeId(1, 7, 0), makeId(2, 3, 0)];
  assert.deepEqual(
    [laterId(earlier, later), laterId(later, earlier), laterId(later, later), laterId(earlier, undefined)],
    [later, later, later, earlier],
  );
});

test('an id is written as the eight bytes of its number', () => {
  const anyId = fc.bigInt(0n, 10n ** 18n - 1n);
  const nearWords = fc.tuple(fc.bigInt(0n, 2n ** 26n), fc.bigInt(-3n, 3n)).map(([word, off]) => (word << 32n) + off);
  const ids = fc.oneof(anyId, nearWords).filter((number) => number >= 0n);
  fc.assert(
    fc.property(ids, fc.nat({ max: 8 }), (number, at) => {
      const expected = Buffer.alloc(16);
      expected.writeBigUInt64BE(number, at);
      for (const id of [String(number), String(number).padStart(18, '0')]) {
        const bytes = Buffer.alloc(16);
        assert.equal(writeId(bytes, id, at), at + 8);
        assert.deepEqual(bytes, expected, id);
      }
    }),
    { numRuns: 2_000 },
  );
});
