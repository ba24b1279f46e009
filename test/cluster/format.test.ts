import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormatTooOld } from '../../cluster/format.js';
import { members } from '../../store/tables.js';
import { Fleet, type Ship } from './fleet.js';

const JOINS = 40;

const activeOf = async (fleet: Fleet) => (await fleet.map()).format;

/** Resolves once the node has released its lease. */
async function leave(fleet: Fleet, ship: Ship): Promise<void> {
  let left = false;
  void ship.node.drain().then(() => {
    left = true;
  });
  await fleet.until('it has left', () => left);
}

test('the format rises only when the last node that does not know it has left', async () => {
  const fleet = new Fleet(1);
  const [old, other] = [fleet.launch('a'), fleet.launch('b')] as const;
  await fleet.until('two old nodes share', () => fleet.settled(old, other));
  assert.equal(await activeOf(fleet), 1);
  fleet.format = 2;
  const fresh = fleet.launch('c');
  await fleet.until('three share', () => fleet.settled(old, other, fresh));
  await leave(fleet, other);
  const second = fleet.launch('b');
  await fleet.until('three share again', () => fleet.settled(old, second, fresh));
  await fleet.run(20_000);
  assert.equal(await activeOf(fleet), 1);
  assert.deepEqual(
    [old, second, fresh].map(({ node }) => node.format()),
    [1, 1, 1],
  );
  await leave(fleet, old);
  await fleet.until('the new ones use it', () => second.node.format() === 2 && fresh.node.format() === 2, 3_000);
  const { format, formatVersion } = await fleet.map();
  assert.deepEqual([format, formatVersion], [2, '0.2']);
});

test('a node that does not know the active format does not join, says so, and leaves no row', async () => {
  const fleet = new Fleet(2);
  fleet.format = 2;
  const ship = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(ship));
  fleet.format = 1;
  const refusal = fleet.join('b');
  await fleet.until('it is refused', () => refusal.error !== undefined, 1_000);
  assert.ok(refusal.error instanceof FormatTooOld);
  assert.match(
    refusal.error.message,
    /^this program \(version 0\.1\) knows format 1, .* format 2 since version 0\.2: /,
  );
  assert.equal(await fleet.tables.get(members, { cluster: 'fleet', name: 'b' }), undefined);
});

test('an old node that was paused while the format rose does not come back', async () => {
  const fleet = new Fleet(3);
  const old = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(old));
  fleet.format = 2;
  const fresh = fleet.launch('b');
  await fleet.until('two share', () => fleet.settled(old, fresh));
  fleet.pause(old, 15_000);
  await fleet.until('the format rises without it', () => fresh.node.format() === 2, 12_000);
  await fleet.until('it is refused', () => fleet.refused.length > 0);
  assert.deepEqual(fleet.refused, ['a']);
  assert.equal(fleet.owned(old), 0);
});

test('an old node that joins while the format rises either keeps it down or is refused', async () => {
  const outcomes = { kept: 0, refused: 0 };
  for (let seed = 1; seed <= JOINS; seed++) {
    const fleet = new Fleet(seed);
    fleet.faults.delayMs = [1, 60];
    const old = fleet.launch('a');
    await fleet.until('it owns all', () => fleet.settled(old));
    fleet.format = 2;
    const fresh = fleet.launch('b');
    await fleet.until('two share', () => fleet.settled(old, fresh));
    void old.node.drain();
    await fleet.until('it has left', () => fleet.owned(old) === 0);
    await fleet.run(seed * 20);
    fleet.format = 1;
    const late = fleet.launch('c');
    for (let looks = 0; looks < 300; looks++) {
      await fleet.run(10);
      const isActive = (await activeOf(fleet)) === 2;
      assert.ok(!(isActive && fleet.owned(late) > 0), `seed ${seed}: an old node owns shards beside the new format`);
    }
    const wasRefused = fleet.refused.length > 0 || fleet.startFailures.some((error) => error instanceof FormatTooOld);
    assert.equal(wasRefused, fresh.node.format() === 2, `seed ${seed}`);
    outcomes[wasRefused ? 'refused' : 'kept'] += 1;
  }
  assert.ok(outcomes.kept > 0 && outcomes.refused > 0, JSON.stringify(outcomes));
});

test('the members are read again before the format rises: a node that joined since the last look keeps it down', async () => {
  const fleet = new Fleet(5);
  const old = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(old));
  fleet.format = 2;
  const fresh = fleet.launch('b');
  await fleet.until('two share', () => fleet.settled(old, fresh));
  void old.node.drain();
  const answer = await fleet.holdMembers(fresh, (rows) =>
    rows.every((row) => row.state === 'gone' || row.format === 2),
  );
  fleet.format = 1;
  const late = fleet.launch('c');
  await fleet.run(1_000);
  assert.equal((await fleet.tables.get(members, { cluster: 'fleet', name: 'c' }))?.state, 'up');
  answer();
  await fleet.until('they share', () => fleet.settled(fresh, late));
  assert.deepEqual([await activeOf(fleet), fleet.refused], [1, []]);
});
