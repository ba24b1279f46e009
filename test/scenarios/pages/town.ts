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

/** A public page, and the status that it has. */
export interface Visited {
  readonly path: string;
  readonly status?: number;
}

/** Fills a server with all that its pages can show; returns its pages. */
export async function makeTown(server: ServerProcess): Promise<readonly Visited[]> {
  const operate = operatorClient(server.dataDir);
  const settings = {
    title: TITLE,
    description: `A place for birds. ${HOSTILE}`,
    extended_description: `# Birds\n\n- one\n- two\n\n## More\n\n[a link](https://birds.example) ${HOSTILE}`,
    privacy_policy:
      '# Privacy\n\nWe keep **little**.\n\n> quoted\n\n    code that is so long that it does not fit a telephone at all',
    contact_email: 'operator@example.org',
  };
  for (const [key, text] of Object.entries(settings))
    await operate('instance.put', { collection: 'settings', key, text });
  for (const text of ['Be kind', `No ${HOSTILE}`])
    await operate('instance.put', { collection: 'rules', text, hint: 'A hint' });
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
  return pagesOf(root, last);
}

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
    ...['/', '/about', '/privacy-policy', '/public', '/public/local', '/tags/birds', '/tags/nothing'],
    ...['/explore', '/directory', '/directory?order=new&local=false'],
    ...['', '/with_replies', '/media', '/followers', '/following', '/follow', '/tagged/birds'].map(
      (part) => `/@ann${part}`,
    ),
    ...['/@hider', '/@hider/followers', '/@hider/following', '/@bob'],
    ...['', '/embed', '/history'].map((part) => `/@ann/${root}${part}`),
    `/@ann/${last}`,
    ...['/auth/sign_in', '/auth/sign_up', '/auth/password/new'],
  ]
    .map((path) => ({ path }))
    .concat([
      { path: '/no/such/page', status: 404 },
      { path: '/@nobody', status: 404 },
      { path: '/api/v1/trends', status: 410 },
      { path: '/directory?order=worst', status: 422 },
      { path: '/@ann/follow?from=nonsense', status: 422 },
    ] as Visited[]);
