import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePlain, encodePlain } from '../../../actors/runtime/plain-values.js';
import { fc } from '../../kit/property.js';

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.uint8Array({ maxLength: 5 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('$')), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 4 }).map((elements) => new Set(elements)),
  ),
}));

test('plain values come back as they were', () => {
  fc.assert(fc.property(value, (plain) => assert.deepEqual(decodePlain(encodePlain(plain)), plain)));
});

test('maps keep their order', () => {
  const map = new Map([
    ['2', 'b'],
    ['10', 'a'],
    ['1', 'c'],
  ]);
  assert.deepEqual([...(decodePlain(encodePlain(map)) as typeof map)], [...map]);
});

test('what is no plain value is refused', () => {
  for (const odd of [() => 1, Symbol('x'), Number.NaN, Number.POSITIVE_INFINITY, 1n])
    assert.throws(() => encodePlain({ odd }), TypeError);
});

test('damaged bytes are refused', () => {
  const bytes = encodePlain({ lines: ['a'] });
  assert.throws(() => decodePlain(bytes.subarray(0, -1)));
  assert.throws(() => decodePlain(Buffer.from([0xff, 0x0f, 0x6f])));
  assert.throws(() => decodePlain(Buffer.from('{"$":["odd"]}')), TypeError);
});
