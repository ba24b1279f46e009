import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FEATURED_TAGS_MAX } from '../../../../actors/account/featured-tags.js';
import { PINS_MAX } from '../../../../actors/account/pin.js';
import { isProblem } from '../../../../actors/domain/problem.js';
import type { Collection } from '../../../../actors/instance/entries.js';
import { type EntryChange, putEntry, removeEntry } from '../../../../gateway/settings/changes.js';
import { TestServer } from '../../../kit/services/server.js';
import { sameDayFor } from '../../../kit/time/same-day.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

async function set(change: EntryChange): Promise<string> {
  const made = await putEntry(server.node.services, '', change);
  assert.ok(!isProblem(made), JSON.stringify(made));
  return made.id;
}
const setting = (key: string, text: string) =>
  set({ collection: 'settings', key, replace: true, text: { text, hint: '' } });
const remove = (collection: Collection, id: string) => removeEntry(server.node.services, '', collection, id);

test('both forms of the instance have the fields that clients read', async () => {
  const v1 = (await server.get('/api/v1/instance')).body;
  const v2 = (await server.get('/api/v2/instance')).body;
  assert.match(v1.version, /^4\.\d+\.\d+ \(compatible; Murmuration /);
  assert.equal(v2.version, v1.version);
  assert.deepEqual([v1.uri, v2.domain], ['localhost', 'localhost']);
  assert.equal(v1.urls.streaming_api, 'ws://localhost');
  assert.equal(v2.configuration.urls.streaming, 'ws://localhost');
  assert.equal(v1.configuration.statuses.max_characters, 500);
  assert.deepEqual(v2.configuration.statuses, v1.configuration.statuses);
  const { max_featured_tags, max_pinned_statuses } = v2.configuration.accounts;
  assert.deepEqual([max_featured_tags, max_pinned_statuses], [FEATURED_TAGS_MAX, PINS_MAX], 'as they are enforced');
  assert.equal(v2.registrations.enabled, true);
});

test('settings without a value are empty', async () => {
  const told = (await server.get('/api/v1/instance/extended_description')).body;
  assert.deepEqual(told, { updated_at: null, content: '' });
  assert.equal((await server.get('/api/v1/instance')).body.email, '');
  assert.equal((await server.get('/api/v2/instance')).body.contact.email, '');
  const page = await server.send(`/about`);
  assert.doesNotMatch(await page.text(), /Questions go to/);
});

test('a path may have an extra slash, and a suffix that requests JSON', async () => {
  const plain = await server.get('/api/v1/instance/rules');
  const named = await server.get('/api/v1/instance/rules.json');
  assert.deepEqual([named.status, named.body], [plain.status, plain.body]);
  const someone = await server.person('suffixed');
  const id = await someone.says('found by either path');
  assert.equal((await server.get(`/api/v1/statuses/${id}.json`)).body.id, id);
  for (const path of ['//api/v1/instance/rules', '/api//v1/instance//rules/', '/api/v1/instance/rules///'])
    assert.equal((await server.get(path)).status, 200, path);
  assert.equal((await server.get('/api/v1/no-such-thing.json')).status, 404);
  assert.equal((await server.get('/api/openapi.json')).status, 200, 'its own name');
});

test('settings take effect at once, and rules keep their order', async () => {
  const contact = await server.person('contact');
  await setting('title', 'A town');
  await setting('description', 'Of birds');
  await setting('contact_email', 'mayor@example.org');
  await setting('contact_username', 'contact');
  const first = await set({ collection: 'rules', text: { text: 'Be kind', hint: 'always' } });
  const second = await set({ collection: 'rules', text: { text: 'No noise', hint: '' } });
  const v1 = (await server.get('/api/v1/instance')).body;
  const v2 = (await server.get('/api/v2/instance')).body;
  assert.deepEqual([v1.title, v1.description, v1.email], ['A town', 'Of birds', 'mayor@example.org']);
  assert.deepEqual([v2.contact.email, v2.contact.account.id], ['mayor@example.org', contact.id]);
  const rules = (await server.get('/api/v1/instance/rules')).body;
  assert.deepEqual(rules, [
    { id: first, text: 'Be kind', hint: 'always', translations: {} },
    { id: second, text: 'No noise', hint: '', translations: {} },
  ]);
  assert.deepEqual(v2.rules, rules);
  await remove('rules', second);
  assert.equal((await server.get('/api/v1/instance/rules')).body.length, 1);
  const unknown = await putEntry(server.node.services, '', { collection: 'settings', key: 'no_such' });
  assert.ok(isProblem(unknown));
});

test('policies, terms and blocked domains are public', async () => {
  await setting('privacy_policy', 'We keep <nothing>.');
  await setting('extended_description', 'Long ago…');
  assert.match((await server.get('/api/v1/instance/privacy_policy')).body.content, /<p>We keep &lt;nothing&gt;/);
  const told = (await server.get('/api/v1/instance/extended_description')).body;
  assert.equal(told.content, '<p>Long ago…</p>');
  assert.ok(Date.parse(told.updated_at) > 0);
  assert.equal((await server.get('/api/v1/instance/terms_of_service')).status, 404);
  await set({ collection: 'terms', key: '2025-01-01', text: { text: 'Old', hint: '' } });
  await set({ collection: 'terms', key: '2099-01-01', text: { text: 'New', hint: '' } });
  const now = (await server.get('/api/v1/instance/terms_of_service')).body;
  assert.deepEqual([now.effective_date, now.effective, now.succeeded_by], ['2025-01-01', true, '2099-01-01']);
  assert.equal((await server.get('/api/v1/instance/terms_of_service/2099-01-01')).body.effective, false);
  for (const date of ['2024-01-01', 'x', '2025-1-1'])
    assert.equal((await server.get(`/api/v1/instance/terms_of_service/${date}`)).status, 404);
  const limit = { severity: 'suspend', rejectMedia: true, rejectReports: false, privateComment: 'secret', lists: [] };
  const domain = { ...limit, obfuscate: true, publicComment: 'spam' };
  await set({ collection: 'domain_blocks', key: 'nuisance.example', domain });
  await set({ collection: 'domain_blocks', key: 'noop.example', domain: { ...domain, severity: 'noop' } });
  const [block, ...others] = (await server.get('/api/v1/instance/domain_blocks')).body;
  assert.deepEqual([block.severity, block.comment, others.length], ['suspend', 'spam', 0]);
  assert.match(block.domain, /^nuis\*+\.?\*+.*ple$/);
});

test('the pages that clients link to for information exist, also at the root', async () => {
  const { urls } = (await server.get('/api/v2/instance')).body.configuration;
  const addresses = ['http://localhost/', urls.about, urls.privacy_policy, urls.terms_of_service];
  assert.deepEqual(
    addresses.map((address) => new URL(address).pathname),
    ['/', '/about', '/privacy-policy', '/terms-of-service'],
  );
  const shown: string[] = [];
  for (const address of addresses) {
    const page = await server.send(new URL(address).pathname);
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'], address);
    shown.push(await page.text());
  }
  assert.match(shown[0] ?? '', /<h1><bdi>A town<\/bdi><\/h1><p>Of birds<\/p>/);
  for (const text of shown.slice(0, 2)) {
    assert.match(text, /<li>Be kind<span[^>]*> always<\/span><\/li>/);
    assert.match(text, /href="mailto:mayor@example\.org"/);
  }
  assert.match(shown[1] ?? '', /<p>Long ago…<\/p>/);
  assert.match(shown[2] ?? '', /<p>We keep &lt;nothing&gt;/);
  assert.match(shown[3] ?? '', /<p>Old<\/p>/);
});

test('empty lists are arrays, and NodeInfo is linked from its well-known address', async () => {
  for (const path of ['/api/v1/custom_emojis', '/api/v1/instance/peers'])
    assert.deepEqual((await server.get(path)).body, []);
  assert.deepEqual((await server.get('/api/v1/instance/translation_languages')).body, {});
  assert.deepEqual((await server.get('/api/v1/instance/languages')).body[0], { code: 'en', name: 'English' });
  const { links } = (await server.get('/.well-known/nodeinfo')).body;
  for (const { href } of links) {
    const info = await server.get(new URL(href).pathname);
    assert.equal(info.body.software.name, 'murmuration');
  }
  assert.deepEqual(
    links.map(({ href }: { href: string }) => new URL(href).pathname),
    ['/nodeinfo/2.0', '/nodeinfo/2.1'],
  );
  assert.equal((await server.ask('POST', '/api/v1/instance', {})).status, 405);
});

test('twelve weeks of activity are counted from the stored rows', async () => {
  await sameDayFor(60_000);
  const own = await TestServer.start();
  try {
    const ada = await own.person('ada');
    await ada.says('one');
    await ada.says('two');
    const weeks = (await own.get('/api/v1/instance/activity')).body;
    assert.equal(weeks.length, 12);
    assert.deepEqual(
      { ...weeks[0], week: undefined },
      { week: undefined, statuses: '2', logins: '1', registrations: '1' },
    );
    const { stats } = (await own.get('/api/v1/instance')).body;
    assert.deepEqual([stats.user_count, stats.status_count], [1, 2]);
  } finally {
    await own.stop();
  }
});
