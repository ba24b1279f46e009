import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APP_TOKENS_AT_ONCE_MAX, LATE_TOKENS_MS } from '../../../../actors/account/own-apps.js';
import { Alarms } from '../../../../actors/runtime/effects/alarms.js';
import { put } from '../../../../store/port.js';
import { clientTokens } from '../../../../store/sign-in-tables.js';
import { apps, appTokens, tokens } from '../../../../store/tables.js';
import { town } from '../town.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const CLIENT = 'c'.repeat(43);
const APP = {
  clientId: CLIENT,
  ...{ id: '7', name: 'Bot', redirectUris: ['https://bot.example/back'], scopes: ['read'] },
  ...{ secretHash: 'hash', atMs: 5 },
};
const LIMIT = { limit: 1_000 };

/** Returns Alice with an application to which she and Bob have given many tokens, and Bob a token of another one. */
async function withTokens() {
  const here = await town(['alice', 'bob']);
  const [alice, bob] = [here.id('alice'), here.id('bob')];
  await here.account(alice, 'saveOwnApp', APP);
  const issue = (who: string, tokenHash: string, clientId = CLIENT) =>
    here.account(who, 'issueToken', { tokenHash, clientId, scopes: ['read'], kind: 'access' });
  await issue(bob, 'other', 'another');
  for (let n = 0; n < APP_TOKENS_AT_ONCE_MAX; n++) await issue(bob, `bob${n}`);
  for (let n = 0; n < 5; n++) await issue(alice, `alice${n}`);
  const { tables } = here;
  const own = { clientId: CLIENT, scopes: ['read'], kind: 'access', atMs: 5 };
  await tables.write([put(tokens, { hash: 'own' }, own), put(appTokens, { client: CLIENT, atMs: 5, hash: 'own' }, {})]);
  const hashes = ['own', 'bob0', `bob${APP_TOKENS_AT_ONCE_MAX - 1}`, 'alice0', 'alice4', 'other'];
  const valid = async () => {
    const rows = await tables.getMany(
      tokens,
      hashes.map((hash) => ({ hash })),
    );
    return hashes.filter((_, index) => rows[index] !== undefined);
  };
  const indexed = async () => (await tables.range(clientTokens, { client: CLIENT }, LIMIT)).length;
  return { ...here, alice, bob, issue, valid, indexed };
}

test('the deletion of an application revokes the tokens that it got, also of other people, and no others', async () => {
  const here = await withTokens();
  assert.equal((await here.valid()).length, 6);
  await here.account(here.alice, 'deleteOwnApp', { clientId: CLIENT });
  await here.stage.clock.advance(1_000);
  assert.deepEqual([await here.valid(), await here.indexed()], [['other'], 0]);
  assert.equal(await here.tables.get(apps, { client: CLIENT }), undefined);
  here.stage.close();
});

test('a crash after the deletion leaves no token alive', async () => {
  const here = await withTokens();
  void here.askAccount(here.alice, 'deleteOwnApp', { clientId: CLIENT });
  while ((await here.indexed()) === APP_TOKENS_AT_ONCE_MAX + 5) await new Promise((resolve) => setImmediate(resolve));
  here.stage.kill(here.node);
  assert.ok((await here.indexed()) > 0, 'the crash came in the middle');
  await here.stage.node(2, {}, here.kinds);
  await here.stage.clock.advance(60_000);
  assert.deepEqual([await here.valid(), await here.indexed()], [['other'], 0]);
  here.stage.close();
});

test('tokens of requests that had read the application before are revoked a minute later', async () => {
  const here = await withTokens();
  await here.account(here.alice, 'deleteOwnApp', { clientId: CLIENT });
  await here.stage.clock.advance(1_000);
  await here.issue(here.bob, 'bob0');
  assert.deepEqual(await here.valid(), ['bob0', 'other']);
  await here.stage.clock.advance(LATE_TOKENS_MS);
  const parts = { tables: here.tables, asker: here.node.runtime, placement: here.node.placement };
  const watching = new Alarms({ ...parts, clock: here.stage.clock, logger: silent });
  watching.start();
  await here.stage.clock.advance(60_000);
  assert.deepEqual(await here.valid(), ['other']);
  watching.close();
  here.stage.close();
});

test('a revoked token leaves no row in the index', async () => {
  const here = await withTokens();
  await here.account(here.bob, 'revokeOtherTokens', { tokenHash: 'bob0' });
  assert.equal(await here.indexed(), 6);
  here.stage.close();
});
