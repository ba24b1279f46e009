import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LazyMap, LazySet } from '../../../../actors/runtime/state/lazy-collections.js';
import { decodePlain, encodePlain } from '../../../../actors/runtime/state/plain-lines.js';
import { fc } from '../../../kit/property.js';

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
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }).map((entries) => new LazyMap(entries)),
    fc.array(tie('value'), { maxLength: 4 }).map((elements) => new LazySet(elements)),
  ),
}));
/** Smaller than the amount encoded in one turn. */
const PART_BYTES = 10_000;
/** Some milliseconds of the event loop. */
const SLICE_BYTES_MAX = 80_000;
/** More than one line takes, so that each container has lines of its own. */
const MANY = 1_500;
const LARGE = {
  list: Array.from({ length: MANY }, (_, n) => n),
  map: new LazyMap(
    Array.from({ length: MANY }, (_, n) => [`key ${n}`, { n, nested: new LazyMap([[n, 'text\nof two lines']]) }]),
  ),
  set: new LazySet(Array.from({ length: MANY }, (_, n) => `${n}`)),
  object: Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`name ${n}`, undefined])),
  small: { $: 1, inherited: null },
};
const at = async () => undefined;
const encoded = async (plain: unknown) => Buffer.concat(await encodePlain(plain, PART_BYTES, at));
const passed = async (plain: unknown) => decodePlain(await encoded(plain), at);

test('plain values are encoded and decoded unchanged', async () => {
  await fc.assert(fc.asyncProperty(value, async (plain) => assert.deepEqual(await passed(plain), plain)));
});

test('a Map and a Set are decoded as lazy ones', async () => {
  const lazy = { map: new LazyMap([['a', new LazySet(['b'])]]), none: new LazyMap() };
  assert.deepEqual(await passed({ map: new Map([['a', new Set(['b'])]]), none: new Map() }), lazy);
});

test('large values are encoded and decoded unchanged, whatever they contain', async () => {
  assert.deepEqual(await passed(LARGE), LARGE);
  await fc.assert(
    fc.asyncProperty(value, fc.nat(MANY), async (plain, place) => {
      const around = {
        ...LARGE,
        list: LARGE.list.with(place, plain as number),
        [`name ${place}`]: new LazySet([plain]),
      };
      assert.deepEqual(await passed(around), around);
    }),
    { numRuns: 20 },
  );
  const inherited = JSON.parse(`{"__proto__": 1, "list": [${LARGE.list}]}`);
  assert.deepEqual(Object.entries((await passed(inherited)) as object), Object.entries(inherited));
});

test('a large value is encoded and decoded in several turns', async () => {
  let turns = 0;
  const pause = async () => {
    turns += 1;
  };
  const huge = new LazyMap(Array.from({ length: 40_000 }, (_, n) => [`${n}`, { name: `number ${n}` }]));
  const parts = await encodePlain(huge, PART_BYTES, pause);
  const bytes = Buffer.concat(parts);
  assert.deepEqual(new Set(parts.slice(0, -1).map((part) => part.length)), new Set([PART_BYTES]));
  assert.ok(turns >= bytes.length / SLICE_BYTES_MAX, `${turns} turns`);
  turns = 0;
  assert.deepEqual(await decodePlain(bytes, pause), huge);
  assert.ok(turns >= bytes.length / SLICE_BYTES_MAX, `${turns} turns`);
  const stop = async () => Promise.reject(new Error('not needed any more'));
  await assert.rejects(encodePlain(huge, PART_BYTES, stop), /not needed/);
  await assert.rejects(decodePlain(bytes, stop), /not needed/);
});

test('maps keep their order', async () => {
  const map = new LazyMap([
    ['2', 'b'],
    ['10', 'a'],
    ['1', 'c'],
  ]);
  assert.deepEqual([...((await passed(map)) as typeof map)], [...map]);
});

test('a value that is not plain is refused', async () => {
  for (const odd of [() => 1, Symbol('x'), Number.NaN, Number.POSITIVE_INFINITY, 1n])
    await assert.rejects(encodePlain({ odd }, PART_BYTES, at), TypeError);
});

test('damaged bytes are refused', async () => {
  const bytes = await encoded({ lines: ['a'] });
  const damaged = [
    bytes.subarray(0, -1),
    bytes.subarray(0, -2),
    Buffer.alloc(0),
    Buffer.from([0xff, 0x0f, 0x6f, 0x0a]),
  ];
  for (const each of damaged) await assert.rejects(decodePlain(each, at));
  for (const text of ['[{"$":["odd"]}]', '[1,2]', ')', '(map\n[1]\n)', '(odd\n)', '(set', '{}'])
    await assert.rejects(decodePlain(Buffer.from(`${text}\n`), at), text);
});
