import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHARDS } from '../../actors/domain/ids.js';
import { balance, type Owners, type Role, type Roles } from '../../cluster/balance.js';
import { affinity } from '../../cluster/rendezvous.js';
import { fc } from '../kit/property.js';

const nobody: Owners = Array.from({ length: SHARDS }, () => undefined);
const taking = (...names: string[]): Roles => new Map(names.map((name) => [`${name}#1`, 'takes' as Role]));
const names = (count: number) => Array.from({ length: count }, (_, index) => `node-${index}`);

function counts(owners: Owners): Map<string, number> {
  const found = new Map<string, number>();
  for (const owner of owners) if (owner !== undefined) found.set(owner, (found.get(owner) ?? 0) + 1);
  return found;
}

const moves = (before: Owners, after: Owners) => before.filter((owner, shard) => owner !== after[shard]).length;

test('affinity is even: each of any set of names has the highest score for about its share of the shards', () => {
  for (const count of [2, 3, 5, 10, 20]) {
    const wanted = new Map<string, number>();
    // More shards than in reality, to show the hash's own evenness without the noise of 1,024 draws.
    for (let shard = 0; shard < 100_000; shard++) {
      const best = names(count).reduce((a, b) => (affinity(b, shard) > affinity(a, shard) ? b : a));
      wanted.set(best, (wanted.get(best) ?? 0) + 1);
    }
    for (const amount of wanted.values()) {
      const deviation = Math.abs(amount / (100_000 / count) - 1);
      assert.ok(deviation < 0.1, `${count} names: ${amount}`);
    }
    assert.equal(wanted.size, count);
  }
});

test('free shards are spread evenly, to within one, over any number of nodes', () => {
  for (const count of [1, 2, 3, 7, 10, 33, 100]) {
    const amounts = [...counts(balance(nobody, taking(...names(count)))).values()];
    assert.equal(amounts.length, count);
    assert.ok(Math.max(...amounts) - Math.min(...amounts) <= 1);
  }
});

test('a node that joins gets its part, and nothing else moves', () => {
  const before = balance(nobody, taking('a', 'b', 'c'));
  const after = balance(before, taking('a', 'b', 'c', 'd'));
  assert.equal(moves(before, after), SHARDS / 4);
  before.forEach((owner, shard) => {
    assert.ok(after[shard] === owner || after[shard] === 'd#1');
  });
});

test('only the shards of a dead node move', () => {
  const before = balance(nobody, taking('a', 'b', 'c'));
  const after = balance(before, taking('a', 'b'));
  before.forEach((owner, shard) => {
    assert.ok(owner === 'c#1' || after[shard] === owner);
  });
});

test('a node that comes back under its name gets most of its old shards again', () => {
  const before = balance(nobody, taking('a', 'b', 'c'));
  const without = balance(before, taking('a', 'b'));
  const again = balance(without, new Map([...taking('a', 'b'), ['c#2', 'takes' as Role]]));
  const old = before.flatMap((owner, shard) => (owner === 'c#1' ? [shard] : []));
  const same = old.filter((shard) => again[shard] === 'c#2').length;
  assert.ok(same > old.length / 2, `${same} of ${old.length}`);
});

test('a draining node’s shards go to the others; one that does not answer keeps its own and gets none', () => {
  const before = balance(nobody, taking('a', 'b', 'c'));
  const after = balance(
    before,
    new Map<string, Role>([
      ['a#1', 'gives'],
      ['b#1', 'keeps'],
      ['c#1', 'takes'],
    ]),
  );
  before.forEach((owner, shard) => {
    assert.equal(after[shard], owner === 'b#1' ? 'b#1' : 'c#1');
  });
});

test('without takers free shards stay free and a draining node keeps its own', () => {
  const before = balance(nobody, taking('a'));
  assert.deepEqual(balance(before, new Map([['a#1', 'gives']])), before);
  assert.deepEqual(balance(before, new Map()), nobody);
});

test('balancing is even from any start, moves no more than necessary, and repeated changes nothing', () => {
  const members = ['a#1', 'b#1', 'c#1', 'd#1', 'e#1'];
  const role = fc.constantFrom<Role | undefined>('takes', 'takes', 'keeps', 'gives', undefined);
  const owner = fc.option(fc.constantFrom(...members), { nil: undefined });
  fc.assert(
    fc.property(
      fc.array(owner, { minLength: SHARDS, maxLength: SHARDS }),
      fc.tuple(role, role, role, role, role),
      (owners, chosen) => {
        const roles = new Map(
          members.flatMap((member, index) => (chosen[index] === undefined ? [] : [[member, chosen[index]]])) as [
            string,
            Role,
          ][],
        );
        const after = balance(owners, roles);
        assert.deepEqual(balance(after, roles), after);
        const takers = [...roles].filter(([, held]) => held === 'takes').map(([member]) => member);
        if (takers.length === 0) return;
        const amounts = takers.map((taker) => counts(after).get(taker) ?? 0);
        assert.ok(Math.max(...amounts) - Math.min(...amounts) <= 1);
        const most = Math.max(...amounts);
        const had = counts(owners);
        const homeless = owners.filter(
          (held) => held === undefined || !['takes', 'keeps'].includes(roles.get(held) ?? ''),
        );
        const excess = takers.reduce((sum, taker) => sum + Math.max(0, (had.get(taker) ?? 0) - most), 0);
        const slack = takers.length;
        assert.ok(moves(owners, after) <= homeless.length + excess + slack);
        owners.forEach((held, shard) => {
          if (held !== undefined && roles.get(held) === 'keeps') assert.equal(after[shard], held);
        });
      },
    ),
    { numRuns: 60 },
  );
});
