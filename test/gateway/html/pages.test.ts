import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { languageOf } from '../../../gateway/html/texts/index.js';
import { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { makeUser, PASSWORD, signedIn } from '../oauth/stage.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'alice');
});
after(() => server?.stop());

const send = (path: string, headers: Readonly<Record<string, string>>) => server.send(path, { headers });

test('a refusal is a page for a browser, in its language, and JSON for a client', async () => {
  const shown = await send('/nothing/here', { accept: 'text/html', 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' });
  assert.equal(shown.status, 404);
  const text = await shown.text();
  assert.match(text, /<html lang="de">.*<h1>Seite nicht gefunden<\/h1>.*href="\/"/s);
  const plain = await send('/nothing/here', { accept: '*/*' });
  assert.match(plain.headers.get('content-type') ?? '', /^application\/json/);
  const method = await server.send('/@alice', { method: 'PUT', headers: { accept: 'text/html' } });
  assert.equal(method.status, 405);
  assert.equal(method.headers.get('allow'), 'GET');
  assert.match(await method.text(), /<h1>/);
});

test('a language is the account’s, or the browser’s first one that there is', () => {
  assert.equal(languageOf('fr, de;q=0.7, en;q=0.8'), 'en');
  assert.equal(languageOf('de-CH'), 'de');
  assert.equal(languageOf('de', 'en-GB'), 'en');
  assert.equal(languageOf('en;q=0, de;q=0.1'), 'de');
  for (const odd of ['', ';;,', 'x'.repeat(10_000), 'de;q=x', '__proto__', 'constructor'])
    assert.equal(languageOf(odd), 'en');
});

test('texts of more than 1 KB are compressed for those who accept it; forms with secrets are not', async () => {
  const plain = await (await send('/@alice', { accept: 'text/html' })).text();
  const gzip = await send('/@alice', { accept: 'text/html', 'accept-encoding': 'gzip, deflate' });
  assert.equal(gzip.headers.get('content-encoding'), 'gzip');
  assert.match(gzip.headers.get('vary') ?? '', /Accept-Encoding/);
  assert.equal(gunzipSync(Buffer.from(await gzip.arrayBuffer())).toString(), plain);
  const api = await send('/api/v2/instance', { 'accept-encoding': 'gzip, br;q=0.9' });
  assert.equal(api.headers.get('content-encoding'), 'br');
  assert.equal(JSON.parse(brotliDecompressSync(Buffer.from(await api.arrayBuffer())).toString()).domain, 'localhost');
  for (const none of ['identity', 'gzip;q=0', '']) {
    const answer = await send('/api/v2/instance', { 'accept-encoding': none });
    assert.equal(answer.headers.get('content-encoding'), null, none);
  }
  const form = await send('/auth/sign_in', { accept: 'text/html', 'accept-encoding': 'gzip' });
  assert.equal(form.headers.get('content-encoding'), null);
  const picture = await send('/apple-touch-icon.png', { 'accept-encoding': 'gzip' });
  assert.equal(picture.headers.get('content-encoding'), null);
});

test('icons, manifest, rules for crawlers and the address of password managers exist', async () => {
  for (const [path, type] of [
    ['/favicon.svg', 'image/svg+xml'],
    ['/apple-touch-icon.png', 'image/png'],
    ['/robots.txt', 'text/plain; charset=utf-8'],
    ['/manifest.json', 'application/manifest+json'],
  ] as const) {
    const answer = await server.send(path);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type], path);
  }
  const led = await server.send('/.well-known/change-password', { redirect: 'manual' });
  assert.equal(led.headers.get('location'), '/auth/password/change');
});

test('over TLS, pages bind browsers to TLS', async () => {
  const secured = await TestServer.start({ BASE_URL: 'https://social.example' });
  try {
    const { headers } = await secured.send('/', { headers: { accept: 'text/html' } });
    assert.match(headers.get('strict-transport-security') ?? '', /^max-age=\d{8}$/);
    assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/);
  } finally {
    await secured.stop();
  }
});

test('preferences are changed by a form, and a form of another site changes nothing', async () => {
  const visitor = await signedIn(server, 'alice');
  const path = '/settings/preferences';
  const shown = await visitor.get(path);
  assert.match(shown.text, /<option value="public" selected>/);
  const { csrf = '' } = visitor.hidden(path);
  const fields = { csrf, privacy: 'unlisted', language: 'de', bot: 'true' };
  for (const forged of [
    { ...fields, csrf: '' },
    { ...fields, csrf: 'x'.repeat(43) },
  ])
    assert.equal((await visitor.post(path, forged)).status, 403);
  assert.equal((await visitor.post(path, fields, { origin: 'https://evil.example' })).status, 403);
  assert.match((await visitor.get(path)).text, /<option value="public" selected>/);
  assert.equal((await visitor.post(path, fields)).location, `${path}?saved=true`);
  const saved = (await visitor.get(`${path}?saved=true`)).text;
  assert.match(saved, /role="status">Saved\./);
  assert.match(saved, /<option value="unlisted" selected>/);
  assert.match(saved, /name="bot" value="true" checked/);
});

test('each preference is saved, takes effect in the API, and can be taken back', async () => {
  const id = await makeUser(server, 'carla');
  const token = await server.token(id, ['read']);
  const visitor = await signedIn(server, 'carla');
  const path = '/settings/preferences';
  const stored = async () => {
    const { body } = await server.ask('GET', '/api/v1/accounts/verify_credentials', undefined, token);
    const { privacy, language, sensitive } = body.source;
    return [privacy, language, sensitive, body.hide_collections, body.discoverable, body.indexable, body.bot];
  };
  for (const [fields, expected] of [
    [{ privacy: 'private', language: 'sv' }, true],
    [{ privacy: 'unlisted', language: '' }, false],
  ] as const) {
    await visitor.get(path);
    const ticks = ['sensitive', 'hide_collections', 'discoverable', 'indexable', 'bot'];
    const all = Object.fromEntries(ticks.map((name) => [name, String(expected)]));
    assert.equal((await visitor.submit(path, { ...fields, ...all })).status, 303);
    assert.deepEqual(await stored(), [fields.privacy, fields.language || null, ...ticks.map(() => expected)]);
    const { text } = await visitor.get(path);
    assert.equal(text.match(/value="true" checked/g)?.length ?? 0, expected ? ticks.length : 0);
  }
});

test('pages have the language of the account, not that of the browser', async () => {
  await makeUser(server, 'berta');
  const visitor = new Visitor(server, { accept: 'text/html', 'accept-language': 'de' });
  assert.match((await visitor.get('/auth/sign_in')).text, /<html lang="de"/);
  await visitor.submit('/auth/sign_in', { login: 'berta', password: PASSWORD });
  const path = '/settings/preferences';
  assert.match((await visitor.get(path)).text, /<html lang="en"/);
  assert.equal((await visitor.submit(path, { page_language: 'tlh' })).status, 422);
  assert.equal((await visitor.submit(path, { page_language: 'de' })).status, 303);
  const english = await signedIn(server, 'berta');
  assert.match((await english.get(path)).text, /<html lang="de".*<option value="de" selected>Deutsch</s);
});

test('a language that does not exist is refused at its field, and what was typed stays', async () => {
  const visitor = await signedIn(server, 'alice');
  const path = '/settings/preferences';
  await visitor.get(path);
  const refused = await visitor.submit(path, { language: 'klingon!' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /value="klingon!"[^>]*aria-invalid/);
  assert.match(refused.text, /id="language-wrong" role="alert">/);
});

test('a page of one’s own leads strangers to the sign-in and back', async () => {
  const led = await new Visitor(server).get('/settings/preferences?saved=true');
  assert.equal(led.location, '/auth/sign_in?return_to=%2Fsettings%2Fpreferences%3Fsaved%3Dtrue');
});
