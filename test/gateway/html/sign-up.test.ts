import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { authorizePath, makeApp, makeUser, PASSWORD } from '../oauth/stage.js';

const PATH = '/auth/sign_up';
const AGAIN = '/auth/confirmation/again';
const good = { username: 'newbie', email: 'newbie@example.org', password: PASSWORD, agreement: 'true' };

let server: TestServer;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'alice');
});
after(() => server?.stop());

async function visitor(path = PATH): Promise<Visitor> {
  const one = new Visitor(server, { accept: 'text/html' });
  await one.get(path);
  return one;
}

/** Returns the texts of all mails. */
async function mails(): Promise<string[]> {
  const folder = join(server.folder, 'mail');
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.filter((one) => one.endsWith('.eml')).map((name) => readFile(join(folder, name), 'utf8')));
}

/** Returns the link in the mail to an address. */
const mailedLink = (email: string) =>
  until(
    'the mail',
    async () => {
      const folder = join(server.folder, 'mail');
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((one) => one.endsWith('.eml'))) {
        const text = (await readFile(join(folder, name), 'utf8')).replace(/=\r?\n/g, '').replaceAll('=3D', '=');
        const link = /\/auth\/confirmation\?\S+/.exec(text);
        if (link !== null && text.includes(email)) return link[0];
      }
      return undefined;
    },
    10_000,
  );

test('a person signs up, confirms the address and signs in, with a browser alone', async () => {
  const one = await visitor();
  const made = await one.submit(PATH, good);
  assert.equal(made.status, 200);
  assert.match(made.text, /<h1>Look into your mail<\/h1>.*newbie@example\.org/s);
  const confirmed = await one.get(await mailedLink(good.email));
  assert.match(confirmed.text, /href="\/auth\/sign_in"/);
  await one.get('/auth/sign_in?return_to=/settings/preferences');
  const signed = await one.submit('/auth/sign_in', { login: 'newbie', password: PASSWORD });
  assert.equal(signed.location, '/settings/preferences');
  assert.equal((await one.get('/settings/preferences')).status, 200);
});

test('faults stand at their fields, and nothing that was typed is lost', async () => {
  const one = await visitor();
  const refused = await one.submit(PATH, { ...good, username: 'alice', password: 'short', agreement: 'false' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /value="newbie@example\.org"/);
  assert.match(refused.text, /id="password-wrong"[^>]*>This password is too short/);
  assert.doesNotMatch(refused.text, /value="short"/, 'a password is not sent back');
  const taken = await one.submit(PATH, { ...good, username: 'Alice', email: 'other@example.org' });
  assert.match(taken.text, /id="username-wrong"[^>]*>Somebody has this name/);
  const odd = await one.submit(PATH, { ...good, username: '"><b>', email: 'x' });
  assert.match(odd.text, /value="&quot;>&lt;b>"/);
});

test('a taken e-mail address gets the answer of a free one', async () => {
  const withoutTokens = (text: string) =>
    text.replaceAll(/name="csrf" value="[^"]*"/g, '').replaceAll(/\w+@example/g, '');
  const [first, second] = [await visitor(), await visitor()];
  const free = await first.submit(PATH, { ...good, username: 'free', email: 'free@example.org' });
  const taken = await second.submit(PATH, { ...good, username: 'taken', email: 'Alice@example.org' });
  assert.deepEqual([taken.status, [...second.cookies.keys()]], [free.status, [...first.cookies.keys()]]);
  assert.equal(withoutTokens(taken.text), withoutTokens(free.text));
  assert.equal((await server.get('/api/v1/accounts/lookup?acct=taken')).status, 404);
  const isMailed = async () => (await mails()).some((text) => /To: alice@.*You have an account already/s.test(text));
  await until('the mail to the owner', async () => (await isMailed()) || undefined, 10_000);
  for (const one of [first, second]) assert.match((await one.submit(AGAIN, {})).text, /another mail is on its way/);
});

test('forms of other sites and of other browsers sign nobody up', async () => {
  const one = await visitor();
  const fields = { ...one.hidden(PATH), ...good, username: 'forged', email: 'forged@example.org' };
  assert.equal((await one.post(PATH, { ...fields, csrf: 'x' })).status, 403);
  assert.equal((await one.post(PATH, fields, { origin: 'https://evil.example' })).status, 403);
  assert.equal((await new Visitor(server).post(PATH, fields)).status, 403);
  assert.equal((await new Visitor(server).post(AGAIN, fields)).status, 403);
  assert.equal((await server.get('/api/v1/accounts/lookup?acct=forged')).status, 404);
});

test('a sign-up on the way to an application leads back to it', async () => {
  const path = authorizePath(await makeApp(server));
  const one = await visitor(path);
  const link = /href="(\/auth\/sign_up\?[^"]+)"/.exec(one.page?.text ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '';
  await one.get(link);
  const made = await one.submit(PATH, { ...good, username: 'viaapp', email: 'viaapp@example.org' });
  assert.match(made.text, /href="\/oauth\/authorize\?[^"]*client_id=/);
});

test('a sign-in leads to addresses of this server only', async () => {
  for (const path of ['https://evil.example', '//evil.example', '/\\evil.example', '/a b', 'javascript:alert(1)']) {
    const one = await visitor(`/auth/sign_in?return_to=${encodeURIComponent(path)}`);
    const signed = await one.submit('/auth/sign_in', { login: 'alice', password: PASSWORD });
    assert.equal(signed.location, '/web', path);
  }
});

test('a server that is closed says so, and one with approval asks for a reason', async () => {
  for (const [REGISTRATIONS, expected] of [
    ['closed', /not open for new accounts/],
    ['approval', /<textarea id="reason"/],
  ] as const) {
    const other = await TestServer.start({ REGISTRATIONS });
    try {
      assert.match((await new Visitor(other).get(PATH)).text, expected);
      const { url } = (await other.get('/api/v2/instance')).body.registrations;
      assert.equal(url, REGISTRATIONS === 'closed' ? null : 'http://localhost/auth/sign_up');
    } finally {
      await other.stop();
    }
  }
});
