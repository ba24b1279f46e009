import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import WebSocket from 'ws';
import { tokenHash } from '../../../gateway/http/authenticator.js';
import { EventStream } from '../../kit/network/event-stream.js';
import { urlOf } from '../../kit/network/sockets.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { OwnTime } from '../../kit/time/own-time.js';
import { until } from '../../kit/time/until.js';
import { resetLink } from '../../scenarios/clients/mail.js';
import { authorizePath, codeFor, exchange, makeApp, makeUser, PASSWORD, signIn } from './stage.js';

/** Source: issue of the REST interface: open streams end within a second. */
const END_MS_MAX = 1_000;
let server: TestServer;
let chief: Person;
before(async () => {
  server = await TestServer.start();
  chief = await server.staff('chief', 'admin');
});
after(() => server?.stop());

/** Opens a WebSocket and a server-sent stream with a token. */
async function streams(token: string) {
  const address = `${urlOf(server).replace('http', 'ws')}/api/v1/streaming?stream=user&access_token=${token}`;
  const socket = new WebSocket(address);
  let closed: number | undefined;
  socket.once('close', (code) => {
    closed = code;
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const events = await EventStream.open(server, 'user', token);
  return {
    areOpen: () => closed === undefined && !events.ended,
    end: async () => {
      socket.terminate();
      await events.close();
    },
    /** Waits for both ends within END_MS_MAX of the start of `time`. */
    endWithin: async (time: OwnTime) => {
      await until('both streams to end', () => closed !== undefined && events.ended, 5_000);
      const tookMs = time.stop();
      assert.ok(tookMs < END_MS_MAX, `after ${tookMs} ms`);
      assert.equal(closed, 1008);
    },
  };
}

const home = async (token: string) => (await server.ask('GET', '/api/v1/timelines/home', undefined, token)).status;

/** An action that ends an account's streams. The first call prepares it, so that only the second one is measured. */
type Act = (who: { id: string; token: string }) => Promise<() => Promise<unknown>>;

/** Opens two streams with each of two tokens; then `act` ends the first two. */
async function ended(name: string, status: number, act: Act) {
  const id = await makeUser(server, name);
  const token = await server.token(id, ['read', 'write']);
  const bystander = await server.token(chief.id, ['read', 'write']);
  const [own, others] = [await streams(token), await streams(bystander)];
  assert.equal(await home(token), 200);
  const submit = await act({ id, token });
  const time = new OwnTime();
  await submit();
  await own.endWithin(time);
  assert.equal(await home(token), status, name);
  await assert.rejects(streams(token), name);
  assert.ok(others.areOpen(), 'nobody else’s');
  assert.equal(await home(bystander), 200);
  await Promise.all([own.end(), others.end()]);
}

const moderate = (id: string, type: string) => async () => chief.post(`/api/v1/admin/accounts/${id}/action`, { type });

test('streams end within a second after the application revokes its token', async () => {
  const id = await makeUser(server, 'ada');
  const app = await makeApp(server);
  const token = (await exchange(server, app, await codeFor(server, app, 'ada'))).body.access_token;
  const kept = await server.token(id, ['read']);
  const [own, others] = [await streams(token), await streams(kept)];
  const time = new OwnTime();
  assert.equal((await server.ask('POST', '/oauth/revoke', { ...app, token })).status, 200);
  await own.endWithin(time);
  assert.equal(await home(token), 401);
  assert.ok(others.areOpen(), 'another token of the same account');
  await Promise.all([own.end(), others.end()]);
});

test('streams end within a second after the page of sessions revokes access', async () => {
  await ended('ben', 401, async ({ token }) => {
    const visitor = new Visitor(server);
    await signIn(visitor, authorizePath(await makeApp(server)), 'ben');
    await visitor.get('/auth/sessions');
    return () => visitor.submit('/auth/sessions/revoke', { token: tokenHash(token) });
  });
});

test('streams end within a second after a moderator disables their owner', async () => {
  await ended('cleo', 403, async ({ id }) => moderate(id, 'disable'));
  await ended('dan', 403, async ({ id }) => moderate(id, 'suspend'));
});

test('streams end after the password is changed, and after a mailed link replaces it', async () => {
  for (const [name, act] of [
    ['eve', changed],
    ['fay', forgotten],
  ] as const) {
    const id = await makeUser(server, name);
    const token = await server.token(id, ['read']);
    const own = await streams(token);
    const submit = await act(name);
    // Hashing a password may take a slow machine that second, so the time begins at the change.
    assert.equal((await submit()).status, 200);
    await own.endWithin(new OwnTime());
    assert.equal(await home(token), 401);
    await own.end();
  }
});

async function changed(name: string) {
  const visitor = new Visitor(server);
  await signIn(visitor, authorizePath(await makeApp(server)), name);
  await visitor.get('/auth/password/change');
  return () => visitor.submit('/auth/password/change', { current: PASSWORD, password: 'another password' });
}

async function forgotten(name: string) {
  const visitor = new Visitor(server);
  await visitor.get('/auth/password/new');
  await visitor.submit('/auth/password', { email: `${name}@example.org` });
  const link = new URL(await resetLink([server.folder], `${name}@example.org`));
  await visitor.get(link.pathname + link.search);
  return () => visitor.submit('/auth/password/edit', { password: 'a fresh password' });
}

test('a code that is used twice ends the streams of its token', async () => {
  await makeUser(server, 'gil');
  const app = await makeApp(server);
  const code = await codeFor(server, app, 'gil');
  const token = (await exchange(server, app, code)).body.access_token;
  const own = await streams(token);
  const time = new OwnTime();
  assert.equal((await exchange(server, app, code)).status, 400);
  await own.endWithin(time);
  await own.end();
});
