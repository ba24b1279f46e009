import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowerIndex } from '../../../actors/timelines/follower-index.js';
import { fc } from '../../kit/property.js';

const AUTHORS = ['ada', 'ben', 'cyd'];

function ringsOf(index: FollowerIndex, author: string): number[] {
  const all: number[] = [];
  index.each(author, (rings, from, to) => all.push(...rings.subarray(from, to)));
  return all.sort((a, b) => a - b);
}

function assertHolds(index: FollowerIndex, expected: ReadonlyMap<string, Set<number>>): void {
  for (const author of AUTHORS) {
    const rings = [...(expected.get(author) ?? [])].sort((a, b) => a - b);
    assert.deepEqual(ringsOf(index, author), rings);
    assert.equal(index.count(author), rings.length);
  }
}

test('the index has each author’s rings that were added and not removed, each once', () => {
  const author = fc.constantFrom(...AUTHORS);
  const some = fc.record({ first: fc.nat(300), count: fc.integer({ min: 1, max: 120 }) });
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), author, some }),
    fc.record({ do: fc.constant('remove' as const), author, some }),
    fc.record({ do: fc.constant('sweep' as const), author, some }),
    fc.record({ do: fc.constant('take' as const), author, some }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const index = new FollowerIndex();
      const expected = new Map(AUTHORS.map((name) => [name, new Set<number>()]));
      for (const {
        do: what,
        author: name,
        some: { first, count },
      } of steps) {
        const own = expected.get(name) as Set<number>;
        const rings = Array.from({ length: count }, (_, place) => first + place);
        if (what === 'add') {
          for (const ring of rings) {
            assert.equal(index.has(name, ring), own.has(ring));
            if (!own.has(ring)) assert.equal(index.add(name, ring), own.add(ring).size);
          }
        } else if (what === 'remove') {
          for (const ring of rings) {
            index.remove(name, ring);
            own.delete(ring);
          }
        } else if (what === 'sweep') {
          index.sweep((ring) => ring >= first && ring < first + count);
          for (const set of expected.values()) for (const ring of rings) set.delete(ring);
        } else {
          assert.deepEqual(
            index.take(name).sort((a, b) => a - b),
            [...own].sort((a, b) => a - b),
          );
          own.clear();
        }
        assertHolds(index, expected);
      }
      const wanted = new Set([0, 7, 100, 150, 299]);
      const authors = index.authorsOf(wanted);
      for (const ring of wanted) {
        const following = AUTHORS.filter((name) => expected.get(name)?.has(ring));
        assert.deepEqual((authors.get(ring) ?? []).sort(), following);
      }
    }),
    { numRuns: 200 },
  );
});
