import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../../../actors/domain/problem.js';
import { put } from '../../../../store/port.js';
import { accounts, following } from '../../../../store/tables.js';
import { town } from '../town.js';

test('a parting continues after a crash, and all followers are notified', async () => {
  const fans = ['bob', 'carol', 'dan', 'erin'];
  const here = await town(['alice', ...fans]);
  const { stage, node, tables } = here;
  const alice = here.id('alice');
  for (const name of fans) {
    await here.account(here.id(name), 'follow', { target: alice, targetLocked: false });
    const record = await tables.get(accounts, { account: here.id(name) });
    assert.ok(record);
    await tables.write([put(accounts, { account: here.id(name) }, { ...record, domain: 'far.example' })]);
  }
  // The power fails after the second of them has been notified.
  let told = 0;
  node.store.beforeWrite = (rows) => {
    const ends = rows.some(({ table, value }) => table.name === following.name && value === undefined);
    if (ends) told += 1;
    return told > 2 ? new Promise(() => undefined) : undefined;
  };
  void here.askAccount(alice, 'blockDomain', { domain: 'far.example' });
  await stage.clock.settle();
  stage.kill(node);
  const next = await stage.node(2, {}, here.kinds);
  await stage.clock.advance(60_000);
  for (const name of fans) {
    const asked = next.runtime.ask('account', here.id(name), 'relations', { targets: [alice] });
    await stage.clock.settle();
    const answer = (await asked) as { relations: { following: boolean }[] };
    assert.ok(!isProblem(answer));
    assert.equal(answer.relations[0]?.following, false, name);
  }
  assert.equal((await tables.get(accounts, { account: alice }))?.followers, 0);
  assert.ok(told >= 2);
  stage.close();
});
