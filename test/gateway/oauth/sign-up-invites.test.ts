import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountInvite } from '../../../proto/gen/types.js';
import { type Answered, type Person, TestServer } from '../../kit/services/server.js';
import { makeApp } from './stage.js';

const PATH = '/api/v1/accounts';
const DAY_MS = 86_400_000;

let server: TestServer;
let chief: Person;
let appToken: string;
before(async () => {
  server = await TestServer.start({ REGISTRATIONS: 'closed', RATE_LIMITS: 'off' });
  chief = await server.staff('chief', 'admin');
  appToken = await appTokenOf(server);
});
after(() => server?.stop());

async function appTokenOf(of: TestServer): Promise<string> {
  const fields = { ...(await makeApp(of)), grant_type: 'client_credentials', scope: 'read write' };
  return (await of.ask('POST', '/oauth/token', fields)).body.access_token;
}

/** Makes an invitation of the administrator, and returns its code and nonce. */
async function invitation({ maxUses = 1, lifetimeMs = DAY_MS, owner = chief } = {}) {
  const { services } = owner === chief ? server.node : (owner.server as TestServer).node;
  const nonce = crypto.randomUUID().replaceAll('-', '').slice(0, 22);
  const expiresAtMs = services.clock.nowMs() + lifetimeMs;
  await services.askAccount(owner.id, 'createInvite', { nonce, maxUses, expiresAtMs });
  return { nonce, code: services.keyedTokens.make('invite', { account: owner.id, nonce }) };
}

const bodyOf = (username: string, code?: string) => ({
  ...{ username, email: `${username}@example.net`, password: 'correct horse battery', agreement: true, locale: 'en' },
  ...(code !== undefined && { invite_code: code }),
});
const signUp = (username: string, code?: string, headers = {}): Promise<Answered> =>
  server.ask('POST', PATH, bodyOf(username, code), appToken, headers);

async function usesOf(wanted: string): Promise<number | undefined> {
  const held = (await server.node.services.askAccount(chief.id, 'invites', {})) as { invites: AccountInvite[] };
  return held.invites.find(({ nonce }) => nonce === wanted)?.uses;
}
const idOf = (username: string) => server.node.services.registry.find(`acct:${username}`);

test('an invited person joins a closed server by the API, and moderators see who invited it', async () => {
  assert.equal((await signUp('early')).status, 403);
  const { code, nonce } = await invitation();
  const made = await signUp('guest', code);
  assert.deepEqual([made.status, typeof made.body.access_token], [200, 'string'], JSON.stringify(made.body));
  assert.equal(await usesOf(nonce), 1);
  const shown = (await chief.get(`/api/v1/admin/accounts/${await idOf('guest')}`)).body;
  assert.deepEqual([shown.approved, shown.invited_by_account_id], [true, chief.id]);
  const listed = async (inviter: string) =>
    (await chief.get(`/api/v2/admin/accounts?invited_by=${inviter}`)).body.map(
      (one: { username: string }) => one.username,
    );
  assert.deepEqual([await listed(chief.id), await listed(shown.id)], [['guest'], []]);
});

test('forged, expired, used-up and revoked codes get a 422 that names the field, and nobody is registered', async () => {
  const { code: used } = await invitation();
  assert.equal((await signUp('first', used)).status, 200);
  const { code: expired } = await invitation({ lifetimeMs: -1 });
  const revoked = await invitation();
  await server.node.services.askAccount(chief.id, 'revokeInvite', { nonce: revoked.nonce });
  const { code } = await invitation();
  const forged = `${code.slice(0, -2)}${code.at(-2) === 'A' ? 'B' : 'A'}${code.at(-1)}`;
  const foreign = server.node.services.keyedTokens.make('email', { account: chief.id, nonce: 'A'.repeat(22) });
  for (const bad of [used, expired, revoked.code, forged, foreign, 'x', '../..', 'x'.repeat(2_000)]) {
    const refused = await signUp('nobody', bad);
    assert.equal(refused.status, 422, bad);
    assert.equal(refused.body.details.invite_code[0].error, 'ERR_INVALID', bad);
    assert.equal(await idOf('nobody'), undefined, bad);
  }
  for (const odd of ['x'.repeat(2_001), '\0', { code }, 7, [code]]) {
    const { status } = await server.ask('POST', PATH, { ...bodyOf('nobody'), invite_code: odd }, appToken);
    assert.ok(status >= 400 && status < 500, JSON.stringify(odd).slice(0, 40));
  }
  assert.equal(await idOf('nobody'), undefined);
});

test('many people with one code at once are no more than it allows', async () => {
  const { code, nonce } = await invitation({ maxUses: 5 });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, place) => signUp(`crowd${place}`, code)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(5).fill(200), ...Array(7).fill(422)]);
  assert.equal(await usesOf(nonce), 5);
});

test('a refused sign-up gives its use back, and a repeated request uses the code once', async () => {
  const { code, nonce } = await invitation({ maxUses: 2 });
  const refused = await signUp('has space', code);
  assert.deepEqual(
    [refused.status, Object.keys(refused.body.details), await usesOf(nonce)],
    [422, ['username', 'email'], 0],
  );
  const key = { 'idempotency-key': 'invited' };
  const answers = await Promise.all([1, 2, 3].map(() => signUp('again', code, key)));
  answers.push(await signUp('again', code, key));
  assert.deepEqual([answers.map(({ status }) => status), await usesOf(nonce)], [[200, 200, 200, 200], 1]);
});

test('a repeat that is refused after its sign-up gives no use back', async () => {
  const { code, nonce } = await invitation();
  const key = { 'idempotency-key': 'changed' };
  assert.equal((await signUp('changed', code, key)).status, 200);
  const id = (await idOf('changed')) ?? '';
  // The name goes to somebody else, as after the deletion of the account.
  await server.node.services.registry.release(['acct:changed'], id);
  assert.equal(await server.node.services.registry.claim(['acct:changed'], chief.id), undefined);
  assert.equal((await signUp('changed', code, key)).status, 422);
  assert.equal(await usesOf(nonce), 1);
  assert.equal((await signUp('other', code)).status, 422);
});

test('an invited person needs no approval, and others do', async () => {
  const asking = await TestServer.start({ REGISTRATIONS: 'approval', RATE_LIMITS: 'off' });
  try {
    const owner = await asking.staff('chief', 'admin');
    const token = await appTokenOf(asking);
    const { code } = await invitation({ owner });
    for (const [name, invite, approved] of [
      ['berta', code, true],
      ['carla', undefined, false],
    ] as const) {
      const body = { ...bodyOf(name, invite), reason: 'I like birds' };
      assert.equal((await asking.ask('POST', PATH, body, token)).status, 200);
      const id = await asking.node.services.registry.find(`acct:${name}`);
      const shown = (await owner.get(`/api/v1/admin/accounts/${id}`)).body;
      assert.deepEqual(
        [shown.approved, shown.invite_request, shown.invited_by_account_id],
        [approved, 'I like birds', approved ? owner.id : null],
      );
    }
  } finally {
    await asking.stop();
  }
});
