import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialAccount } from '../../actors/account/slices.js';
import { makeId } from '../../actors/domain/ids.js';
import { accountRecord } from '../../actors/reactions/account/rows.js';
import { ANSWER_CLAIM_MS, APP_TOKENS_MAX, CLAIM_LIFETIME_MS, Registrar } from '../../actors/registry.js';
import { ANSWERED_MS } from '../../actors/runtime/limits.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { put } from '../../store/port.js';
import { accounts, appTokens, tokens } from '../../store/tables.js';

function open() {
  const tables = new MemoryTables();
  const clock = { now: 1_000_000, nowMs: () => clock.now, monotonicMs: () => clock.now };
  return { tables, clock, registry: new Registrar(tables, clock) };
}

test('names are claimed all or none, and again by the same id', async () => {
  const { registry } = open();
  assert.equal(await registry.claim(['acct:a', 'email:a'], '1'), undefined);
  assert.equal(await registry.claim(['acct:a', 'email:a'], '1'), undefined);
  assert.equal(await registry.claim(['email:a', 'acct:b'], '2'), 'email:a');
  assert.equal(await registry.find('acct:b'), undefined);
  assert.equal(await registry.find('acct:a'), '1');
});

test('only one of many concurrent claims of a name succeeds', async () => {
  const { registry } = open();
  const ids = Array.from({ length: 20 }, (_, n) => `${n + 1}`);
  const taken = await Promise.all(ids.map((id) => registry.claim(['acct:a'], id)));
  assert.equal(taken.filter((name) => name === undefined).length, 1);
});

test('a claim without an account is taken over after its lifetime, and one with an account never', async () => {
  const { registry, clock, tables } = open();
  await registry.claim(['acct:a', 'acct:b'], '1');
  await registry.claim(['acct:b2'], '2');
  await tables.write([put(accounts, { account: '2' }, accountRecord(initialAccount('2')))]);
  assert.equal(await registry.claim(['acct:a'], '3'), 'acct:a');
  clock.now += CLAIM_LIFETIME_MS;
  assert.equal(await registry.claim(['acct:a'], '3'), undefined);
  assert.equal(await registry.claim(['acct:b2'], '3'), 'acct:b2');
});

test('the address of a deleted account can be claimed again, and its name cannot', async () => {
  const { registry, clock, tables } = open();
  await registry.claim(['acct:a', 'email:a@example.org'], '1');
  const record = accountRecord(initialAccount('1'));
  const write = (more: object) => tables.write([put(accounts, { account: '1' }, { ...record, ...more })]);
  await write({ email: 'a@example.org' });
  clock.now += CLAIM_LIFETIME_MS;
  assert.equal(await registry.claim(['email:a@example.org'], '2'), 'email:a@example.org');
  clock.now += CLAIM_LIFETIME_MS;
  assert.equal(await registry.claim(['email:a@example.org'], '2'), 'email:a@example.org');
  await write({ email: '', removed: true });
  assert.equal(await registry.claim(['acct:a'], '2'), 'acct:a');
  await registry.claim(['email:never@example.org'], '1');
  assert.equal(
    await registry.claim(['email:a@example.org'], '2'),
    'email:a@example.org',
    'the claim is observed from now on',
  );
  clock.now += CLAIM_LIFETIME_MS;
  assert.equal(await registry.claim(['email:a@example.org'], '2'), undefined);
  assert.equal(await registry.claim(['email:never@example.org'], '2'), 'email:never@example.org', 'the claim is new');
  assert.equal(await registry.find('email:a@example.org'), '2');
});

test('a fresh claim is not abandoned, even for a node whose clock is an hour ahead', async () => {
  const { tables, registry } = open();
  const ahead = new Registrar(tables, { nowMs: () => 4_600_000, monotonicMs: () => 0 });
  assert.equal(await registry.claim(['acct:a'], '1'), undefined);
  assert.equal(await ahead.claim(['acct:a'], '2'), 'acct:a');
  assert.equal(await ahead.isTaken('acct:a', '2'), true);
});

test('a claim that is renewed while it is observed is not taken over', async () => {
  const { tables, clock, registry } = open();
  const other = new Registrar(tables, clock);
  await registry.claim(['acct:a'], '1');
  for (let times = 0; times < 5; times++) {
    assert.equal(await other.claim(['acct:a'], '2'), 'acct:a');
    clock.now += CLAIM_LIFETIME_MS - 1;
    assert.equal(await registry.claim(['acct:a'], '1'), undefined);
  }
});

test('a confirmed name is neither taken over nor withdrawn, and a lost one is not confirmed', async () => {
  const { clock, registry } = open();
  await registry.claim(['acct:a', 'acct:b'], '1');
  assert.equal(await registry.confirm(['acct:a'], '1'), undefined);
  await registry.withdraw(['acct:a'], '1');
  assert.equal(await registry.claim(['acct:a'], '2'), 'acct:a');
  assert.equal(await registry.claim(['acct:b'], '2'), 'acct:b');
  clock.now += CLAIM_LIFETIME_MS;
  assert.equal(await registry.claim(['acct:a'], '2'), 'acct:a');
  assert.equal(await registry.claim(['acct:b'], '2'), undefined);
  assert.equal(await registry.confirm(['acct:b'], '1'), 'acct:b');
  assert.equal(await registry.confirm(['acct:b'], '2'), undefined);
});

test('only its owner can release a name', async () => {
  const { registry } = open();
  await registry.claim(['acct:a'], '1');
  await registry.release(['acct:a'], '2');
  assert.equal(await registry.find('acct:a'), '1');
  await registry.release(['acct:a'], '1');
  assert.equal(await registry.find('acct:a'), undefined);
});

test('a second attempt of a failed request has the id of the first one, for an hour', async () => {
  const { registry, clock } = open();
  const [first, second, third] = [0, 1, ANSWERED_MS].map((ms) => makeId(clock.now + ms, 1, 0)) as [
    string,
    string,
    string,
  ];
  assert.deepEqual(await registry.claimAnswer('a', first), { newId: first });
  assert.equal(await registry.claimAnswer('a', second), 'pending');
  await registry.keepAnswer('a', undefined);
  assert.deepEqual(await registry.claimAnswer('a', second), { newId: first });
  // The node has died meanwhile.
  clock.now += ANSWER_CLAIM_MS;
  assert.deepEqual(await registry.claimAnswer('a', second), { newId: first });
  clock.now += ANSWERED_MS;
  assert.deepEqual(await registry.claimAnswer('a', third), { newId: third });
  await registry.keepAnswer('a', { status: 200, body: '{}' });
  assert.deepEqual(await registry.claimAnswer('a', second), { status: 200, body: '{}' });
});

test('an answer is kept for its hour though the wall clock steps ahead', async () => {
  const tables = new MemoryTables();
  const clock = {
    skewMs: 0,
    spentMs: 0,
    nowMs: () => 1_000_000 + clock.skewMs + clock.spentMs,
    monotonicMs: () => clock.spentMs,
  };
  const registry = new Registrar(tables, clock);
  const [first, second, third] = [0, 1, 2].map((n) => makeId(clock.nowMs(), 1, n)) as [string, string, string];
  const answer = { status: 200, body: '{}' };
  await registry.claimAnswer('answered', first);
  await registry.keepAnswer('answered', answer);
  await registry.claimAnswer('in doubt', second);
  await registry.keepAnswer('in doubt', undefined);
  clock.skewMs += 2 * ANSWERED_MS;
  assert.deepEqual(await registry.claimAnswer('answered', third), answer);
  assert.deepEqual(await registry.claimAnswer('in doubt', third), { newId: second });
  clock.spentMs += ANSWERED_MS;
  assert.deepEqual(await registry.claimAnswer('answered', third), { newId: third });
});

test('the tokens of an application are bounded, the latest stay, and other applications keep theirs', async () => {
  const { registry, clock, tables } = open();
  const issue = (clientId: string, hash: string) =>
    registry.putAppToken(hash, { clientId, scopes: ['read'], kind: 'access', atMs: clock.now });
  const isValid = async (hash: string) => (await tables.get(tokens, { hash })) !== undefined;
  await issue('other', 'hers');
  for (let number = 0; number < APP_TOKENS_MAX; number++) {
    clock.now++;
    await issue('app', `token ${number}`);
  }
  assert.ok(await isValid('token 0'));
  await issue('app', 'one more');
  assert.deepEqual(await Promise.all(['token 0', 'token 1', 'one more', 'hers'].map(isValid)), [
    false,
    true,
    true,
    true,
  ]);
  const record = await tables.get(tokens, { hash: 'token 1' });
  assert.ok(record);
  await registry.removeAppToken('token 1', record);
  const listed = await tables.range(appTokens, { client: 'app' }, { limit: APP_TOKENS_MAX + 1 });
  assert.equal(listed.length, APP_TOKENS_MAX - 1);
  assert.equal(await isValid('token 1'), false);
});
