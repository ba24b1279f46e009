import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitingAlarms } from '../../../kit/actors/waiting-alarms.js';
import { WebPages } from '../../../kit/network/web-pages.js';
import { TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

const WAIT_MS = 20_000;
const ME = 'http://localhost/@ada';
const MEGABYTE = 1_048_576;
const html = { 'content-type': 'text/html; charset=utf-8' };

/** Content of the pages by path; tests change it as the owners would. */
const pages: Record<string, string> = {
  '/good': `<html><body><p><a class="u" rel="nofollow ME noopener" href="${ME}">me</a></p></body></html>`,
  '/head': `<head><link rel="me" href=" ${ME.toUpperCase()} "></head>`,
  '/other': `<a rel="me" href="http://localhost/@eve">not ada</a><a href="${ME}">no rel</a><a rel="menu" href="${ME}">x</a>`,
  '/longer': `<a rel="me" href="${ME}2">ada2</a><a rel="me" href="${ME}/">x</a>`,
  '/commented': `<!-- <a rel="me" href="${ME}">me</a> --><script>'<a rel="me" href="${ME}">'</script>`,
  '/huge': `<p>${'x'.repeat(2 * MEGABYTE)}</p><a rel="me" href="${ME}">me</a>`,
};

let site: WebPages;
let server: TestServer;

before(async () => {
  site = await WebPages.open((request, response) => {
    const path = request.url ?? '';
    if (path === '/moved') response.writeHead(302, { location: '/good' }).end();
    else if (path === '/text') response.writeHead(200, { 'content-type': 'text/plain' }).end(pages['/good']);
    else if (path === '/error') response.writeHead(500, html).end(pages['/good']);
    else response.writeHead(200, html).end(pages[path] ?? '');
  });
  server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: '127.0.0.0/8' });
});
after(async () => {
  await server?.stop();
  await site?.close();
});

type Shown = { name: string; value: string; verified_at: string | null };

async function sets(token: string, ...paths: string[]): Promise<Shown[]> {
  const fields = paths.map((path) => ({ name: path, value: path.startsWith('/') ? `${site.url}${path}` : path }));
  const set = { fields_attributes: fields };
  const answered = await server.ask('PATCH', '/api/v1/accounts/update_credentials', set, token);
  assert.equal(answered.status, 200, JSON.stringify(answered.body));
  return answered.body.fields;
}

test('links with rel="me" back are verified, others are not, and a verification lasts until the link changes', async () => {
  const ada = await server.person('ada');
  const shown = async (): Promise<Shown[]> => (await server.get(`/api/v1/accounts/${ada.id}`)).body.fields;
  const verified = async () => (await shown()).map((field) => field.verified_at !== null);
  const become = (...expected: boolean[]) =>
    until(`${expected}`, async () => (`${await verified()}` === `${expected}` ? true : undefined), WAIT_MS);
  const asked = (path: string) => until(path, () => site.asked.includes(path) || undefined, WAIT_MS);

  const answered = await sets(ada.token, '/good', '/head', '/moved', 'plain');
  assert.deepEqual([answered[0]?.verified_at, answered[3]?.verified_at], [null, null], 'the answer does not wait');
  assert.match(answered[0]?.value ?? '', /rel="nofollow noopener noreferrer me"/);
  await become(true, true, true, false);
  const own = (await ada.get('/api/v1/accounts/verify_credentials')).body.source.fields;
  const at = own[0].verified_at;
  assert.ok(Math.abs(Date.now() - Date.parse(at)) < 60_000);

  const kept = await sets(ada.token, '/good', '/other', '/longer', '/commented');
  assert.equal(kept[0]?.verified_at, at);
  for (const path of ['/other', '/longer', '/commented']) await asked(path);
  await sets(ada.token, '/huge', '/text', '/error', '/good');
  for (const path of ['/huge', '/text', '/error']) await asked(path);
  // The earlier links were checked by now: each has its own actor, and this one is checked last.
  await sets(ada.token, '/other', '/longer', '/commented', '/last');
  await asked('/last');
  await become(false, false, false, false);
  assert.equal(site.asked.filter((path) => path === '/good').length, 2, 'itself, and where the moved page led');
});

test('a page that changes after the profile is checked again at the next save', async () => {
  const eve = await server.person('eve');
  await sets(eve.token, '/later');
  await until('the first look', () => site.asked.includes('/later') || undefined, WAIT_MS);
  pages['/later'] = '<a rel="me" href="http://localhost/@eve">me</a>';
  const isVerified = async () => {
    const [field] = await sets(eve.token, '/later');
    return field?.verified_at === null ? undefined : true;
  };
  await until('the second look', isVerified, WAIT_MS);
});

test('no request is sent to a forbidden address, and the profile is saved all the same', async () => {
  const guarded = await TestServer.start();
  try {
    const ada = await guarded.person('ada');
    const fields = [{ name: 'inside', value: `${site.url}/secret` }];
    const path = '/api/v1/accounts/update_credentials';
    const saved = await guarded.ask('PATCH', path, { fields_attributes: fields }, ada.token);
    assert.equal(saved.status, 200);
    const alarm = async () => {
      const { tables } = guarded.node.services;
      // The day may change within a minute.
      for (const atMs of [Date.now(), Date.now() + 60_000])
        if ((await waitingAlarms(tables, atMs)).length > 0) return true;
      return undefined;
    };
    await until('it is to be tried again', alarm, WAIT_MS);
    assert.ok(!site.asked.includes('/secret'));
    assert.equal((await guarded.get(`/api/v1/accounts/${ada.id}`)).body.fields[0].verified_at, null);
  } finally {
    await guarded.stop();
  }
});
