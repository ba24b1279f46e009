import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  WRONG_BY_STRANGERS_MAX,
  WRONG_FROM_ONE_PLACE_MAX,
  WRONG_PER_ADDRESS_MAX,
} from '../../../gateway/oauth/guards.js';
import { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { resetLink } from '../../scenarios/clients/mail.js';
import { makeUser, PASSWORD } from './stage.js';

let server: TestServer;
before(async () => {
  // The limit on requests is wide, because this file tests the limit on wrong passwords.
  const wide = { limit: 1_000_000, seconds: 300 };
  server = await TestServer.start({ RATE_LIMITS: JSON.stringify({ address: wide, sign_in: wide }) });
});
after(() => server?.stop());

const WRONG = 'not the password';
const from = (address: string) => ({ 'x-forwarded-for': address });

async function attempt(visitor: Visitor, login: string, password: string, address: string): Promise<number> {
  visitor.cookies.delete('murmuration_session');
  await visitor.get('/auth/sign_in');
  return (await visitor.submit('/auth/sign_in', { login, password }, from(address))).status;
}

/** Sends wrong passwords from ever new addresses of one block, until nobody may guess any more. */
async function exhaust(login: string, block: number): Promise<void> {
  const visitor = new Visitor(server);
  const each = Math.min(WRONG_FROM_ONE_PLACE_MAX, WRONG_PER_ADDRESS_MAX);
  for (let tried = 0; tried <= WRONG_BY_STRANGERS_MAX; tried++)
    await attempt(visitor, login, WRONG, `198.51.${block}.${Math.floor(tried / each)}`);
}

test('a stranger who guesses passwords does not lock the owner out', async () => {
  await makeUser(server, 'ada');
  const stranger = new Visitor(server);
  for (let tried = 0; tried < WRONG_FROM_ONE_PLACE_MAX; tried++)
    assert.equal(await attempt(stranger, 'ada@example.org', WRONG, '203.0.113.1'), 422);
  assert.equal(await attempt(stranger, 'ada@example.org', PASSWORD, '203.0.113.1'), 429);
  assert.equal(await attempt(new Visitor(server), 'ada@example.org', PASSWORD, '203.0.113.2'), 303);
});

test('guesses under both names of an account count together, and nothing reveals that they belong together', async () => {
  await makeUser(server, 'ben');
  await makeUser(server, 'other');
  const stranger = new Visitor(server);
  for (let tried = 0; tried < WRONG_FROM_ONE_PLACE_MAX; tried++)
    await attempt(stranger, 'ben@example.org', WRONG, '203.0.113.3');
  // The right password gets the same answer as a wrong one, for this account, another and none.
  assert.equal(await attempt(stranger, 'ben', PASSWORD, '203.0.113.3'), 422);
  for (const login of ['ben', 'other', 'nobody'])
    assert.equal(await attempt(stranger, login, WRONG, '203.0.113.3'), 422, login);
  assert.equal(await attempt(new Visitor(server), 'ben', PASSWORD, '203.0.113.4'), 303);
});

test('many addresses together get a bounded number of guesses, and the owner’s known browser can still sign in', async () => {
  await makeUser(server, 'cleo');
  const known = new Visitor(server);
  assert.equal(await attempt(known, 'cleo', PASSWORD, '203.0.113.5'), 303);
  await known.get('/auth/sign_in');
  await known.submit('/auth/sign_out', {});
  assert.ok(known.cookies.has('murmuration_browser'), 'signing out leaves it');
  await exhaust('cleo', 1);
  assert.equal(await attempt(new Visitor(server), 'cleo', PASSWORD, '203.0.113.6'), 429, 'an unknown browser');
  assert.equal(await attempt(new Visitor(server), 'cleo@example.org', PASSWORD, '203.0.113.6'), 422);
  assert.equal(await attempt(known, 'cleo', PASSWORD, '198.51.1.0'), 303, 'from an address that has guessed, too');
  assert.equal(await attempt(known, 'cleo@example.org', PASSWORD, '203.0.113.5'), 303);
});

test('the mark of a browser is valid for its account only, cannot be forged, and has its own count of guesses', async () => {
  await makeUser(server, 'dora');
  await makeUser(server, 'emil');
  const known = new Visitor(server);
  assert.equal(await attempt(known, 'emil', PASSWORD, '203.0.113.7'), 303);
  await exhaust('dora', 2);
  assert.equal(await attempt(known, 'dora', PASSWORD, '203.0.113.7'), 429);
  const mark = known.cookies.get('murmuration_browser') ?? '';
  const id = (await server.node.services.registry.find('acct:dora')) ?? '';
  known.cookies.set('murmuration_browser', [id, ...mark.split('.').slice(1)].join('.'));
  assert.equal(await attempt(known, 'dora', PASSWORD, '203.0.113.7'), 429);
  known.cookies.set('murmuration_browser', mark);
  for (let tried = 0; tried < WRONG_FROM_ONE_PLACE_MAX; tried++)
    assert.equal(await attempt(known, 'emil', WRONG, `203.0.113.${20 + tried}`), 422);
  assert.equal(await attempt(known, 'emil', PASSWORD, '203.0.113.8'), 429);
});

test('a password set by a mailed link is usable at once, however often strangers have guessed', async () => {
  await makeUser(server, 'fred');
  await exhaust('fred', 3);
  const owner = new Visitor(server);
  await owner.get('/auth/password/new');
  await owner.submit('/auth/password', { email: 'fred@example.org' });
  const link = new URL(await resetLink([server.folder], 'fred@example.org'));
  await owner.get(link.pathname + link.search);
  assert.equal((await owner.submit('/auth/password/edit', { password: 'a fresh password' })).status, 200);
  assert.equal(await attempt(owner, 'fred', 'a fresh password', '203.0.113.9'), 303);
});
