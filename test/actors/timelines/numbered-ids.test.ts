import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NumberedIds } from '../../../actors/timelines/numbered-ids.js';
import { fc } from '../../kit/property.js';

const PLACES = 16;

interface List {
  readonly numbers: Uint32Array;
  readonly ids: number[];
  next: number;
}

/** Lists that drop their oldest number for each new one, with the ids of the numbers. */
class Lists {
  readonly #lists: List[];
  readonly ids: NumberedIds;

  constructor(count: number, capacityMin: number) {
    this.#lists = Array.from({ length: count }, () => ({ numbers: new Uint32Array(PLACES), ids: [], next: 0 }));
    const holder = { lists: () => count, list: (index: number) => this.#of(index).numbers };
    this.ids = new NumberedIds(holder, { capacityMin, capacityPerList: 2 });
  }

  put(index: number, id: number): void {
    const list = this.#of(index);
    const place = list.next++ % PLACES;
    list.numbers[place] = this.ids.numberOf(id >>> 4, id & 15);
    list.ids[place] = id;
  }

  check(): void {
    for (const { numbers, ids } of this.#lists) {
      for (const [place, id] of ids.entries()) {
        const number = numbers[place] as number;
        assert.equal(this.ids.highOf(number) * 16 + this.ids.lowOf(number), id);
        assert.equal(this.ids.compare(number, id >>> 4, id & 15), 0);
      }
    }
  }

  #of(index: number): List {
    return this.#lists[index] as List;
  }
}

test('a number that a list holds keeps its id, however many ids come and go', () => {
  const step = fc.record({
    list: fc.nat(7),
    id: fc.integer({ min: 1, max: 3_000 }),
    times: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 120 }), (steps) => {
      const lists = new Lists(8, 64);
      for (const { list, id, times } of steps) {
        for (let time = 0; time < times; time++) lists.put((list + time) % 8, id + time * (list % 3));
        lists.check();
      }
    }),
    { numRuns: 200 },
  );
});

test('numbers are reused: memory depends on the lists, not on the ids that passed through them', () => {
  const lists = new Lists(8, 64);
  for (let id = 1; id <= 2_000; id++) lists.put(id % 8, id);
  const { bytes } = lists.ids;
  for (let id = 2_001; id <= 200_000; id++) lists.put(id % 8, id);
  assert.equal(lists.ids.bytes, bytes);
  lists.check();
});

test('an id in many lists has one number as long as a list holds it', () => {
  const lists = new Lists(8, 4_096);
  const number = lists.ids.numberOf(5, 7);
  for (let list = 0; list < 8; list++) lists.put(list, 5 * 16 + 7);
  assert.equal(lists.ids.numberOf(5, 7), number);
});
