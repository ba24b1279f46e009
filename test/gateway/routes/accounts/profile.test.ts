import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestServer } from '../../../kit/services/server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const CREDENTIALS = '/api/v1/accounts/update_credentials';

test('credentials are changed by PUT or PATCH, and shown raw to their owner and rendered to others', async () => {
  const ann = await server.person('ann');
  const changes = {
    display_name: 'Ann',
    note: 'I <3 https://example.org',
    bot: true,
    locked: true,
    discoverable: true,
    indexable: true,
    hide_collections: true,
    fields_attributes: { 0: { name: 'site', value: 'https://example.org' }, 1: { name: '', value: '' } },
    attribution_domains: ['Example.org'],
    source: { privacy: 'unlisted', sensitive: true, language: 'fr', quote_policy: 'followers' },
  };
  for (const method of ['PUT', 'PATCH']) {
    const { status, body } = await server.ask(method, CREDENTIALS, changes, ann.token);
    assert.equal(status, 200, JSON.stringify(body));
    const { bot, locked, discoverable, indexable, hide_collections, source, fields } = body;
    assert.deepEqual([bot, locked, discoverable, indexable, hide_collections], [true, true, true, true, true]);
    assert.match(fields[0].value, /<a href="https:\/\/example.org"/);
    assert.deepEqual(source.fields, [{ name: 'site', value: 'https://example.org', verified_at: null }]);
    const { note, privacy, sensitive, language, quote_policy, attribution_domains } = source;
    assert.deepEqual(
      [note, privacy, sensitive, language, quote_policy, attribution_domains],
      ['I <3 https://example.org', 'unlisted', true, 'fr', 'followers', ['example.org']],
    );
  }
  assert.equal((await ann.get('/api/v1/accounts/verify_credentials')).body.source.note, 'I <3 https://example.org');
  const seen = (await server.get(`/api/v1/accounts/${ann.id}`)).body;
  assert.deepEqual([seen.bot, 'source' in seen], [true, false]);
  assert.match(seen.note, /I &lt;3/);
  const preferences = (await ann.get('/api/v1/preferences')).body;
  assert.deepEqual(
    ['visibility', 'sensitive', 'language', 'quote_policy'].map((name) => preferences[`posting:default:${name}`]),
    ['unlisted', true, 'fr', 'followers'],
  );
  const status = await ann.says('a text that looks English');
  assert.equal((await ann.get(`/api/v1/statuses/${status}`)).body.language, 'fr', 'the default wins');
});

test('values that are too long, too many or unknown are refused and change nothing', async () => {
  const ben = await server.person('ben');
  const field = (name: string, value = 'x') => ({ name, value });
  for (const wrong of [
    { display_name: 'x'.repeat(31) },
    { note: 'x'.repeat(501) },
    { fields_attributes: Array.from({ length: 5 }, (_, n) => field(`${n}`)) },
    { fields_attributes: [field('x'.repeat(256))] },
    { fields_attributes: [field('x', 'x'.repeat(256))] },
    { fields_attributes: [field('', 'no name')] },
    { attribution_domains: ['no domain'] },
    { attribution_domains: Array.from({ length: 101 }, (_, n) => `${n}.example`) },
    { source: { privacy: 'secret' } },
    { source: { language: 'no language' } },
    { source: { language: 'zz' } },
    { source: { quote_policy: 'some' } },
  ])
    assert.equal((await server.ask('PATCH', CREDENTIALS, wrong, ben.token)).status, 422, JSON.stringify(wrong));
  const { display_name, note, fields, source } = (await ben.get('/api/v1/accounts/verify_credentials')).body;
  assert.deepEqual([display_name, note, fields, source.attribution_domains], ['', '', [], []]);
});

test('the profile is read and changed in the form for its owner', async () => {
  const cleo = await server.person('cleo');
  const before = (await cleo.get('/api/v1/profile')).body;
  assert.deepEqual([before.show_media, before.show_media_replies, before.show_featured], [true, true, true]);
  const changes = { display_name: 'Cleo', note: 'raw & short', show_media: false };
  const { status, body } = await server.ask('PATCH', '/api/v1/profile', changes, cleo.token);
  assert.deepEqual([status, body.display_name, body.note, body.show_media], [200, 'Cleo', 'raw & short', false]);
  assert.equal((await cleo.get('/api/v1/profile')).body.show_media, false);
  await server.ask('PATCH', '/api/v1/profile', { avatar_description: 'A cat' }, cleo.token);
  const shown = (await server.get(`/api/v1/accounts/${cleo.id}`)).body;
  const { show_media, show_featured, avatar_description } = shown;
  assert.deepEqual([show_media, show_featured, avatar_description], [false, undefined, 'A cat'], 'to others, too');
  const narrow = await server.token(cleo.id, ['profile']);
  assert.equal((await server.ask('GET', '/api/v1/profile', undefined, narrow)).status, 200);
  assert.equal((await server.ask('PATCH', '/api/v1/profile', changes, narrow)).status, 403);
  assert.equal((await server.get('/api/v1/profile')).status, 401);
});

test('mentions and hashtags in a profile are linked as in a status, and shown raw to its owner', async () => {
  const [eve, finn] = [await server.person('eve'), await server.person('finn')];
  const note = 'with @finn, @FINN@localhost, @nobody and @finn@elsewhere.example, on #Birds';
  const fields = { 0: { name: 'friend', value: '@eve #cats' } };
  const told = (await server.ask('PATCH', CREDENTIALS, { note, fields_attributes: fields }, eve.token)).body;
  const seen = (await server.get(`/api/v1/accounts/${eve.id}`)).body;
  assert.equal(seen.note, told.note);
  assert.equal(
    seen.note.split(`<a href="http://localhost/@finn" class="u-url mention">@<span>finn</span></a>`).length,
    3,
  );
  assert.match(seen.note, /@nobody and @finn@elsewhere\.example, on <a href="http:\/\/localhost\/tags\/birds"/);
  assert.match(seen.fields[0].value, /@eve"[^>]*>@<span>eve<.*\/tags\/cats"/);
  assert.deepEqual([told.source.note, told.source.fields[0].value], [note, '@eve #cats']);
  assert.equal((await eve.get('/api/v1/profile')).body.note, note);
  // A changed field leaves the note as it is, and a status renders the same text equally.
  await server.ask('PATCH', CREDENTIALS, { fields_attributes: { 0: { name: 'a', value: 'b' } } }, eve.token);
  const now = (await finn.get(`/api/v1/accounts/${eve.id}`)).body;
  assert.equal(now.note, seen.note);
  const posted = (await eve.post('/api/v1/statuses', { status: note })).body;
  assert.equal(posted.content, seen.note);
});
