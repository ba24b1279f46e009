import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Answered, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { makeApp } from './stage.js';

let server: TestServer;
let appToken: string;
const good = {
  username: 'newcomer',
  email: 'newcomer@example.org',
  password: 'correct horse battery',
  agreement: true,
  locale: 'en',
};

before(async () => {
  server = await TestServer.start();
  appToken = await appTokenOf(server);
});
after(() => server.stop());

async function appTokenOf(of: TestServer): Promise<string> {
  const app = await makeApp(of);
  const fields = { ...app, grant_type: 'client_credentials', scope: 'read write' };
  return (await of.ask('POST', '/oauth/token', fields)).body.access_token;
}

const signUp = (more: object): Promise<Answered> =>
  server.ask('POST', '/api/v1/accounts', { ...good, ...more }, appToken);

async function mailedLink(): Promise<string> {
  const folder = join(server.folder, 'mail');
  return until(
    'the mail',
    async () => {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((name) => name.endsWith('.eml'))) {
        const text = (await readFile(join(folder, name), 'utf8')).replace(/=\r?\n/g, '').replaceAll('=3D', '=');
        const link = /\/auth\/confirmation\?\S+/.exec(text);
        if (link !== null && text.includes(good.email)) return link[0];
      }
      return undefined;
    },
    60_000,
  );
}

test('a sign-up returns a token that works after the mailed link is opened', async () => {
  const made = await signUp({});
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const token = made.body.access_token as string;
  const early = await server.ask('GET', '/api/v1/timelines/home', undefined, token);
  assert.equal(early.status, 403);
  assert.match(early.body.error, /confirmed e-mail address/);
  const own = await server.ask('GET', '/api/v1/accounts/verify_credentials', undefined, token);
  assert.equal(own.body.username, 'newcomer');
  const link = await mailedLink();
  assert.equal((await server.get(`${link}x`)).status, 422, 'a link that is not complete');
  assert.equal((await server.get(link)).status, 200);
  assert.equal((await server.get(link)).status, 200, 'opening it again is no error');
  const home = () => server.ask('GET', '/api/v1/timelines/home', undefined, token);
  await until('the token to work', async () => (await home()).status === 200 || undefined, 5_000);
});

test('faults of a sign-up are listed field by field', async () => {
  await server.person('taken');
  for (const [more, field, error] of [
    [{ username: 'taken' }, 'username', 'ERR_TAKEN'],
    [{ username: 'TAKEN' }, 'username', 'ERR_TAKEN'],
    [{ email: 'Taken@Example.org', username: 'free' }, 'email', 'ERR_TAKEN'],
    [{ username: '' }, 'username', 'ERR_BLANK'],
    [{ username: 'with space' }, 'username', 'ERR_INVALID'],
    [{ username: 'x'.repeat(31) }, 'username', 'ERR_TOO_LONG'],
    [{ username: 'admin' }, 'username', 'ERR_RESERVED'],
    [{ email: '' }, 'email', 'ERR_BLANK'],
    [{ email: 'nonsense' }, 'email', 'ERR_INVALID'],
    [{ password: 'short' }, 'password', 'ERR_TOO_SHORT'],
    [{ password: 'x'.repeat(200) }, 'password', 'ERR_TOO_LONG'],
    [{ agreement: false }, 'agreement', 'ERR_ACCEPTED'],
  ] as const) {
    const refused = await signUp({ username: 'somebody', email: 'somebody@example.org', ...more });
    assert.equal(refused.status, 422, JSON.stringify(more));
    assert.equal(refused.body.details[field]?.[0]?.error, error, JSON.stringify(refused.body));
  }
});

test('an empty e-mail address is both blank and invalid', async () => {
  const refused = await signUp({ username: 'somebody', email: '' });
  const errors = refused.body.details.email.map(({ error }: { error: string }) => error);
  assert.deepEqual(errors, ['ERR_BLANK', 'ERR_INVALID']);
});

test('one of many concurrent sign-ups gets a name', async () => {
  const wanted = Array.from({ length: 8 }, (_, index) =>
    signUp({ username: 'popular', email: `p${index}@example.org` }),
  );
  const statuses = (await Promise.all(wanted)).map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 422)]);
});

test('a closed server refuses sign-ups; one with approval lets nobody act before it', async () => {
  const closed = await TestServer.start({ REGISTRATIONS: 'closed' });
  const approval = await TestServer.start({ REGISTRATIONS: 'approval' });
  try {
    const refused = await closed.ask('POST', '/api/v1/accounts', good, await appTokenOf(closed));
    assert.equal(refused.status, 403);
    const waiting = await approval.ask('POST', '/api/v1/accounts', good, await appTokenOf(approval));
    assert.equal(waiting.status, 200);
    const home = await approval.ask('GET', '/api/v1/timelines/home', undefined, waiting.body.access_token);
    assert.equal(home.status, 403);
  } finally {
    await closed.stop();
    await approval.stop();
  }
});
