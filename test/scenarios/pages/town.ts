import assert from 'node:assert/strict';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { ServerProcess } from '../../kit/services/server-process.js';
import { call, makePeople, type Person } from '../cluster/people.js';

/** Title of the instance, with characters that mean something in HTML. */
export const TITLE = 'Röst & <b>Nest</b>';
/** Text that would run if a page did not escape it. */
const HOSTILE = '<script>hacked()</script><img src=x onerror=hacked()>"\'><b>\u202Eevil';
const ANSWERS = 30;
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A page, and the status that it has. */
export interface Visited {
  readonly path: string;
  readonly status?: number;
}

/** The owner of the instance. */
const CHIEF = { email: 'chief@example.org', password: 'correct horse battery' };

/** Somebody who can sign in. */
export type Login = Pick<Person, 'email' | 'password'>;

/** A filled server: pages that everybody sees, and those that a person sees who has signed in. */
export type Town = readonly { readonly pages: readonly Visited[]; readonly by?: Login }[];

/** Fills a server with all that its pages can show. */
export async function makeTown(server: ServerProcess): Promise<Town> {
  const operate = operatorClient(server.dataDir);
  const texts = {
    title: TITLE,
    description: `A place for birds. ${HOSTILE}`,
    extended_description: `# Birds\n\n- one\n- two\n\n## More\n\n[a link](https://birds.example) ${HOSTILE}`,
    privacy_policy:
      '# Privacy\n\nWe keep **little**.\n\n> quoted\n\n    code that is so long that it does not fit a telephone at all',
    contact_email: 'operator@example.org',
  };
  for (const [key, text] of Object.entries(texts)) await operate('instance.put', { collection: 'settings', key, text });
  for (const text of ['Be kind', `No ${HOSTILE}`])
    await operate('instance.put', { collection: 'rules', text, hint: 'A hint' });
  await operate('instance.put', { collection: 'terms', key: '2025-01-01', text: texts.privacy_policy });
  const [ann, bob, hider] = (await makePeople(server.dataDir, ['ann', 'bob', 'hider'])) as [Person, Person, Person];
  const as = async (person: Person, method: string, path: string, body?: object) =>
    (await call(server.url, person, method, path, body)) as { readonly id: string };
  const say = async (person: Person, fields: object) => (await as(person, 'POST', '/api/v1/statuses', fields)).id;
  await as(ann, 'PATCH', '/api/v1/accounts/update_credentials', {
    display_name: '<img src=x onerror=hacked()>',
    note: `${HOSTILE} https://birds.example/${'path'.repeat(30)} #birds`,
    discoverable: true,
    indexable: true,
    bot: true,
    locked: true,
    fields_attributes: [
      { name: `Site ${HOSTILE}`, value: 'https://ann.example' },
      { name: 'Word', value: 'w'.repeat(200) },
    ],
  });
  await as(bob, 'PATCH', '/api/v1/accounts/update_credentials', { discoverable: true, display_name: 'Bob' });
  await as(hider, 'PATCH', '/api/v1/accounts/update_credentials', {
    hide_collections: true,
    display_name: 'W'.repeat(30),
  });
  for (const [from, to] of [
    [bob, hider],
    [hider, bob],
    [bob, ann],
    [hider, ann],
  ] as const)
    await as(from, 'POST', `/api/v1/accounts/${to.id}/follow`);
  const picture = await upload(server.url, ann);
  const root = await say(ann, { status: `A picture ${HOSTILE} #birds`, media_ids: [picture] });
  const options = ['one', `two ${HOSTILE}`.slice(0, 50)];
  const poll = { options, expires_in: 3_600 };
  await say(bob, { status: 'Which? #birds', poll, spoiler_text: `careful ${HOSTILE}` });
  await say(bob, { status: 'Which one?', poll });
  await say(ann, { status: 'sensitive', media_ids: [await upload(server.url, ann)], sensitive: true });
  await say(bob, { status: 'Look at this #birds', quoted_status_id: root });
  await say(bob, { status: 'long'.repeat(100) });
  await as(bob, 'POST', `/api/v1/statuses/${root}/reblog`);
  await as(bob, 'POST', `/api/v1/statuses/${root}/favourite`);
  await as(ann, 'POST', `/api/v1/statuses/${root}/pin`);
  await as(ann, 'POST', '/api/v1/featured_tags', { name: 'birds' });
  let last = root;
  for (let number = 1; number <= ANSWERS; number++)
    last = await say(number % 2 === 0 ? ann : bob, { status: `answer ${number}`, in_reply_to_id: last });
  await as(ann, 'PUT', `/api/v1/statuses/${root}`, {
    status: `An edited picture ${HOSTILE} #birds`,
    media_ids: [picture],
  });
  const moderatedIds = await moderated(server, { ann, bob, hider }, last);
  const settings = await makeSettings(server.url, ann, [bob.id, hider.id]);
  const consent = { path: await authorizePath(server.url) };
  return [
    { pages: [...pagesOf(root, last), ...accessPages, consent, await makeCollection(server.url, ann)] },
    { pages: [...settings, consent], by: ann },
    { pages: webPages(root, last, bob.id), by: ann },
    { pages: staffPages({ ...moderatedIds, account: ann.id }), by: CHIEF },
  ];
}

/** Registers an application; returns the path at which it asks for access. */
async function authorizePath(url: string): Promise<string> {
  const app = {
    client_name: `App ${HOSTILE}`.slice(0, 60),
    redirect_uris: 'https://client.example/callback',
    scopes: 'read write follow',
  };
  const registered = await fetch(`${url}/api/v1/apps`, { method: 'POST', body: new URLSearchParams(app) });
  const { client_id } = (await registered.json()) as { readonly client_id: string };
  const query = { response_type: 'code', client_id, redirect_uri: app.redirect_uris, scope: app.scopes };
  return `/oauth/authorize?${new URLSearchParams(query)}`;
}

/** Pages on the ways into an account, most of which a wrong link shows. */
const accessPages: readonly Visited[] = [
  { path: '/auth/sign_in' },
  { path: '/auth/sign_up' },
  { path: '/auth/password/new' },
  { path: '/auth/password/edit?reset_password_token=wrong' },
  { path: `/oauth/authorize/native?code=1.${'x'.repeat(43)}` },
  { path: '/oauth/authorize?client_id=wrong', status: 400 },
  { path: '/auth/confirmation?confirmation_token=wrong', status: 422 },
  { path: '/auth/email/confirmation?token=wrong', status: 422 },
  { path: '/auth/mails/reports?token=wrong', status: 422 },
  { path: '/invite/wrong', status: 410 },
];

/** Gives a person a collection; returns its page. */
async function makeCollection(url: string, person: Person): Promise<Visited> {
  const text = { name: '<b>Birders</b> &amp;', description: `seen ${HOSTILE}`, tag_name: 'birds' };
  const made: unknown = await call(url, person, 'POST', '/api/v1/collections', { ...text, account_ids: [person.id] });
  return { path: `/collections/${(made as { readonly collection: { readonly id: string } }).collection.id}` };
}

type Moderated = Readonly<Record<'report' | 'block' | 'network' | 'rule' | 'announcement', string>>;

/** Files reports, and adds the owner of the instance with a note; returns the id of one of each thing that staff change. */
async function moderated(
  server: ServerProcess,
  { ann, bob, hider }: Readonly<Record<'ann' | 'bob' | 'hider', Person>>,
  status: string,
): Promise<Moderated> {
  const operate = operatorClient(server.dataDir);
  const { token = '' } = await operate('account.create', {
    ...{ username: 'chief', email: CHIEF.email, password: CHIEF.password },
    ...{ confirmed: true, role: 'owner', token: { scopes: 'read write admin:read admin:write' } },
  });
  const file = async (from: Person, body: object) =>
    (await call(server.url, from, 'POST', '/api/v1/reports', body)) as { readonly id: string };
  const { id } = await file(bob, { account_id: ann.id, status_ids: [status], comment: `rude ${HOSTILE}` });
  await file(ann, { account_id: hider.id, comment: 'w'.repeat(500) });
  await file(hider, { account_id: ann.id });
  const note = { content: `a note ${HOSTILE}` };
  const chief = { ...ann, token };
  for (const about of [`reports/${id}`, `accounts/${ann.id}`])
    await call(server.url, chief, 'POST', `/api/v1/admin/${about}/notes`, note);
  const limit = { domain: `${'long-name.'.repeat(12)}example`, severity: 'silence', reject_media: true };
  const comments = { public_comment: HOSTILE, private_comment: 'w'.repeat(500) };
  const added = { ...limit, ...comments };
  const block = (await call(server.url, chief, 'POST', '/api/v1/admin/domain_blocks', added)) as { id: string };
  const network = { ip: '2001:db8::/48', severity: 'sign_up_block', comment: HOSTILE, expires_in: 86_400 };
  const blockedNetwork = (await call(server.url, chief, 'POST', '/api/v1/admin/ip_blocks', network)) as { id: string };
  const rule = await operate('instance.put', { collection: 'rules', text: `Third ${HOSTILE}` });
  const announcement = await operate('instance.put', { collection: 'announcements', text: `Soon ${HOSTILE}` });
  return { report: id, block: block.id, network: blockedNetwork.id, rule: rule.id, announcement: announcement.id };
}

/** Gives a person one of each thing that the settings show; returns the pages of the settings. */
async function makeSettings(url: string, person: Person, [muted, blocked]: readonly [string, string]) {
  const make = async (path: string, body?: object) =>
    (await call(url, person, 'POST', path, body)) as { readonly id: string };
  const keywords_attributes = [{ keyword: HOSTILE, whole_word: true }];
  const rule = { title: HOSTILE, context: ['home', 'thread'], expires_in: 3_600, keywords_attributes };
  const filter = await make('/api/v2/filters', rule);
  await make(`/api/v1/accounts/${muted}/mute`, { duration: 3_600 });
  await make(`/api/v1/accounts/${blocked}/block`);
  await make('/api/v1/domain_blocks', { domain: `${'long-name.'.repeat(12)}example` });
  return settingsOf(filter.id);
}

const settingsOf = (filter: string): readonly Visited[] =>
  [
    ...['profile', 'featured', 'suggestions', 'applications', 'preferences'],
    ...[
      'mutes',
      'blocks',
      'domain_blocks',
      'archive',
      'export',
      'import',
      'filters',
      'filters/new',
      `filters/${filter}`,
    ],
    ...['account', 'aliases', 'migration', 'delete', 'otp', 'passkeys'],
  ]
    .map((name) => ({ path: `/settings/${name}` }))
    .concat([{ path: '/auth/sessions' }, { path: '/auth/password/change' }]);

async function upload(url: string, { token }: Person): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([DOT], { type: 'image/png' }), '<b>.png');
  form.append('description', `a dot ${HOSTILE}`);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/v2/media`, { method: 'POST', headers, body: form });
  assert.equal(response.status, 200);
  return ((await response.json()) as { readonly id: string }).id;
}

const pagesOf = (root: string, last: string): readonly Visited[] =>
  [
    ...[
      '/',
      '/about',
      '/privacy-policy',
      '/terms-of-service',
      '/public',
      '/public/local',
      '/tags/birds',
      '/tags/nothing',
    ],
    ...['/explore', '/directory', '/directory?order=new&local=false'],
    ...['', '/with_replies', '/media', '/followers', '/following', '/follow', '/tagged/birds'].map(
      (part) => `/@ann${part}`,
    ),
    ...['/@hider', '/@hider/followers', '/@hider/following', '/@bob'],
    ...['', '/embed', '/history', '/interact'].map((part) => `/@ann/${root}${part}`),
    `/@ann/${last}`,
    ...['/api', '/api/docs/entities', '/api/docs/accounts', '/authorize_interaction?uri=acct:ann'],
    ...['/api/v1/timelines/public', '/api/v2/instance', '/nodeinfo/2.0'],
  ]
    .map((path) => ({ path }))
    .concat([
      { path: '/no/such/page', status: 404 },
      { path: '/@nobody', status: 404 },
      { path: '/api/v1/statuses/1', status: 404 },
      { path: '/api/v1/timelines/home', status: 401 },
      { path: '/directory?order=worst', status: 422 },
      { path: '/@ann/follow?from=nonsense', status: 422 },
    ] as Visited[]);

/** The pages of the client in the browser. */
const webPages = (root: string, last: string, person: string): readonly Visited[] =>
  [
    ...['', '/notifications', '/search', '/search?q=birds', `/people/${person}`],
    ...['', '/edit', '/history'].map((part) => `/posts/${root}${part}`),
    `/posts/${last}`,
  ].map((path) => ({ path: `/web${path}` }));

const staffPages = (ids: Moderated & { readonly account: string }): readonly Visited[] =>
  [
    ...['reports', 'reports?resolved=true', `reports/${ids.report}`],
    ...['accounts', 'accounts?username=an', `accounts/${ids.account}`, 'audit', 'roles'],
    ...['domain_blocks', `domain_blocks/${ids.block}`, 'domain_allows', 'email_domain_blocks', 'ip_blocks'],
    `ip_blocks/${ids.network}`,
    ...['canonical_email_blocks', 'rules', `rules/${ids.rule}`, 'announcements', `announcements/${ids.announcement}`],
    ...['custom_emojis', 'trends'],
  ]
    .map((name) => ({ path: `/moderation/${name}` }))
    .concat({ path: '/cluster' }, { path: '/settings/invites' });
