import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { makeUser, PASSWORD, signedIn } from '../oauth/stage.js';

const FORMS = allRoutes.filter(
  ({ method, path }) => method === 'POST' && !/^\/(?:api|users|oauth\/(?:token|revoke|userinfo))\/?|inbox$/.test(path),
);
/** The mail's program proves itself by the token in the address (RFC 8058). */
const WITHOUT_TOKEN = ['/auth/mails/:list'];
/** Forms whose page needs a link of a mail, or the request of an application; the test has neither. */
const WITHOUT_PAGE = ['/auth/mails/:list', '/oauth/authorize'];
const FAULT = /<p class="fault" role="alert">One of the fields.*<form/s;
/** Forms that people use before they are signed in. */
const isPublic = ({ path }: AnyRoute) =>
  /^\/auth\/(?:sign_in|sign_up|confirmation|password(?!\/change)|mails)/.test(path);
const UNKNOWN = '000000000000000001';
/** Lists that moderators keep, with a fitting entry of each. */
const LISTS: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
  ['/moderation/domain_blocks', { domain: 'kept.example', severity: 'noop' }],
  ['/moderation/rules', { text: 'Be kind' }],
  ['/moderation/announcements', { text: 'Back soon' }],
  ['/moderation/ip_blocks', { ip: '192.0.2.7', severity: 'sign_up_block' }],
];

interface Field {
  readonly type?: string;
  readonly maxLength?: number;
  readonly bytes?: boolean;
  readonly anyOf?: readonly { readonly const: unknown }[];
}
const fieldsOf = ({ body }: AnyRoute): [string, Field][] =>
  Object.entries((body?.properties ?? {}) as Readonly<Record<string, Field>>);

let server: TestServer;
let chief: Visitor;
let person: Person;
let other: Person;
let ids: Readonly<Record<string, string>>;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'chief', 'owner');
  person = await server.person('ann');
  other = await server.person('bob');
  chief = await signedIn(server, 'chief');
  const post = await person.says('a post');
  const report = await other.post('/api/v1/reports', { account_id: person.id, status_ids: [post] });
  const filter = { csrf: await tokenOf(chief), title: 'kept', context: 'home', words: 'one', expires: 'never' };
  assert.equal((await chief.post('/settings/filters', { ...filter, filter_action: 'warn' })).status, 303);
  const [, filterId = ''] = /\/settings\/filters\/(\d+)/.exec((await chief.get('/settings/filters')).text) ?? [];
  const own = await chief.post('/web/compose', { csrf: filter.csrf, status: 'an own post' });
  assert.equal(own.status, 303, own.text);
  const [, ownPost = ''] = /\/@chief\/(\d+)/.exec((await chief.get('/@chief')).text) ?? [];
  ids = { '/settings/filters': filterId, '/web/posts': ownPost, '/web': person.id };
  ids = { ...ids, ...(await entriesOf(LISTS)), '/moderation/accounts': person.id, '/moderation': report.body.id };
});
after(() => server?.stop());

/** Adds an entry to each list, and returns the ids by the paths of the lists. */
async function entriesOf(lists: typeof LISTS): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [path, fields] of lists) {
    assert.equal((await chief.post(path, { csrf: await tokenOf(chief), ...fields })).status, 303, path);
    const [, id = ''] = new RegExp(`action="${path}/(\\d+)/delete"`).exec((await chief.get(path)).text) ?? [];
    found[path] = id;
  }
  return found;
}

/** Returns a browser with its token for the form. */
async function browserFor(route: AnyRoute): Promise<{ visitor: Visitor; csrf: string }> {
  if (!isPublic(route)) return { visitor: chief, csrf: await tokenOf(chief) };
  const visitor = new Visitor(server, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  return { visitor, csrf: visitor.hidden('/auth/sign_in').csrf ?? '' };
}

async function tokenOf(visitor: Visitor): Promise<string> {
  await visitor.get('/settings/preferences');
  return visitor.hidden('/settings/preferences').csrf ?? '';
}

function pathOf({ path }: AnyRoute): string {
  const [, id = UNKNOWN] = Object.entries(ids).find(([prefix]) => path.startsWith(prefix)) ?? [];
  const verb = /people|suggestions/.test(path) ? 'follow' : /requests/.test(path) ? 'reject' : 'favourite';
  return path.replace(':id', id).replace(':note_id', UNKNOWN).replace(':verb', verb).replace(':list', 'reports');
}

/** Returns fields that the schema accepts. */
const fitting = (route: AnyRoute): Record<string, string> =>
  Object.fromEntries(
    fieldsOf(route).flatMap(([name, { anyOf, type }]) =>
      anyOf !== undefined ? [[name, String(anyOf[0]?.const)]] : name === 'last' ? [[name, '1']] : type ? [] : [],
    ),
  );

const without = (fields: Readonly<Record<string, string>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([one]) => one !== name));

/** Returns everything that the forms could change. */
async function state(): Promise<unknown> {
  const about = async (path: string) => (await person.get(path)).body;
  return [
    await about('/api/v1/accounts/verify_credentials'),
    await about(`/api/v1/accounts/${person.id}/statuses`),
    await (await server.send('/@chief')).text(),
    (await chief.get('/settings/filters')).text,
    (await chief.get('/settings/domain_blocks')).text,
    (await chief.get('/settings/invites')).text,
    (await chief.get('/settings/profile')).text,
    (await chief.get('/settings/preferences')).text,
    ...(await Promise.all(LISTS.map(async ([path]) => (await chief.get(path)).text))),
  ];
}

test('a field that a form cannot have shows the page of the form again, with a message, and changes nothing', async () => {
  const before = await state();
  let refused = 0;
  for (const route of FORMS) {
    for (const [name, field] of fieldsOf(route)) {
      if (name === 'csrf') continue;
      const { visitor, csrf } = await browserFor(route);
      const hostile: [string, string][] = [[`${name}[a][b]`, 'x']];
      if (field.type === 'string') hostile.push([`${name}[]`, 'x']);
      if (field.maxLength !== undefined) hostile.push([name, 'x'.repeat(field.maxLength + 1)]);
      if (field.type !== 'string') hostile.push([name, 'neither']);
      for (const [key, value] of hostile) {
        const sent = await visitor.post(pathOf(route), { ...without(fitting(route), name), csrf, [key]: value });
        const what = `${route.path} ${key} ${value.length}`;
        assert.equal(sent.status, 422, `${what}: ${sent.status} ${sent.location} ${sent.text.slice(0, 200)}`);
        assert.match(sent.headers.get('content-type') ?? '', /^text\/html/, what);
        assert.ok(sent.text.includes('role="alert">'), what);
        if (!WITHOUT_PAGE.includes(route.path) && field.type !== 'array') assert.ok(FAULT.test(sent.text), what);
        refused++;
      }
    }
  }
  assert.ok(refused > 100, String(refused));
  assert.deepEqual(await state(), before);
});

const has = (text: string, part: string) => assert.ok(text.includes(part), part.slice(0, 80));

test('a refused form shows again, as text, all that was typed', async () => {
  const note = `<b>"kept" & typed</b>${'x'.repeat(20_000)}`;
  const csrf = await tokenOf(chief);
  const profile = await chief.post('/settings/profile', { csrf, note, display_name: 'kept name' });
  assert.equal(profile.status, 422);
  has(profile.text, 'longer than this server accepts');
  has(profile.text, `&lt;b>&quot;kept&quot; &amp; typed&lt;/b>${'x'.repeat(20_000)}`);
  has(profile.text, 'value="kept name"');
  const status = `kept post ${'x'.repeat(50_000)}`;
  has((await chief.post('/web/compose', { csrf, status })).text, status);
  const filter = await chief.post('/settings/filters', { csrf, title: 'kept title', words: 'y'.repeat(200_001) });
  has(filter.text, 'value="kept title"');
  const visitor = new Visitor(server, { accept: 'text/html' });
  await visitor.get('/auth/sign_in?return_to=/settings/profile');
  const signIn = await visitor.submit('/auth/sign_in', { login: 'chief', password: 'p'.repeat(513) });
  assert.equal(signIn.status, 422);
  assert.match(signIn.text, /value="chief"/);
  assert.doesNotMatch(signIn.text, /pppp/, 'a password is not sent back');
  assert.match(signIn.text, /name="return_to" value="\/settings\/profile"/);
});

test('repeated and foreign fields of a form do no harm', async () => {
  const csrf = await tokenOf(chief);
  const body = `csrf=${csrf}&domain=first.example&domain=second.example&role=owner&account_id=${person.id}`;
  const cookie = [...chief.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
  const sent = await server.send('/settings/domain_blocks', { method: 'POST', redirect: 'manual', headers, body });
  assert.equal(sent.status, 303);
  const { text } = await chief.get('/settings/domain_blocks');
  assert.equal([...text.matchAll(/(?:first|second)\.example/g)].length > 0, true);
  assert.equal(/first\.example/.test(text) && /second\.example/.test(text), false, 'one of the two counts');
});

test('a missing, forged or foreign token is refused with a page by every form, and nothing changes', async () => {
  const before = await state();
  const foreign = await tokenOf(await signedIn(server, 'chief'));
  const stranger = new Visitor(server, { accept: 'text/html' });
  await stranger.get('/auth/sign_in');
  const strangers = stranger.hidden('/auth/sign_in').csrf ?? '';
  for (const route of FORMS) {
    if (WITHOUT_TOKEN.includes(route.path)) continue;
    assert.ok(
      fieldsOf(route).some(([name]) => name === 'csrf'),
      `${route.path} has no token`,
    );
    const { visitor, csrf } = await browserFor(route);
    const own = { ...fitting(route), login: 'chief', password: PASSWORD };
    for (const token of [undefined, '', 'forged', 'x'.repeat(2_000), foreign, strangers, `${csrf}x`]) {
      const sent = await visitor.post(pathOf(route), { ...own, ...(token !== undefined && { csrf: token }) });
      assert.equal(sent.status, 403, `${route.path} ${token}`);
      assert.match(sent.text, /<h1>/, route.path);
    }
    for (const more of [{ 'csrf[]': csrf }, { 'csrf[a]': csrf }])
      assert.equal((await visitor.post(pathOf(route), { ...own, ...more })).status, 403, route.path);
    const elsewhere = { origin: 'https://evil.example' };
    assert.equal((await visitor.post(pathOf(route), { ...own, csrf }, elsewhere)).status, 403, route.path);
    const without = new Visitor(server, { accept: 'text/html' });
    assert.equal((await without.post(pathOf(route), { ...own, csrf })).status, 403, route.path);
  }
  assert.deepEqual(await state(), before);
});
