import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { makeUser, signedIn } from '../oauth/stage.js';

const PATH = '/settings/profile';

let server: TestServer;
let alice: Visitor;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'alice');
  alice = await signedIn(server, 'alice');
});
after(() => server?.stop());

const account = async () => (await server.get('/api/v1/accounts/lookup?acct=alice')).body;

test('a person changes name, text and fields', async () => {
  assert.equal((await alice.get('/settings')).location, PATH);
  await alice.get(PATH);
  const fields = { display_name: 'Alice A.', note: 'I like #birds', name1: 'Site', value1: 'https://alice.example' };
  const saved = await alice.submit(PATH, { ...fields, locked: 'true' });
  assert.equal(saved.location, `${PATH}?saved=true`);
  const { display_name, locked, fields: shown } = await account();
  assert.deepEqual([display_name, locked, shown[0].name], ['Alice A.', true, 'Site']);
  const { text } = await alice.get(`${PATH}?saved=true`);
  assert.match(
    text,
    /role="status">Saved\..*value="Alice A\.".*I like #birds<\/textarea>.*value="https:\/\/alice\.example"/s,
  );
});

test('a person uploads pictures with descriptions; a file that is no picture changes nothing', async () => {
  const picture = async (background: string) => {
    const image = sharp({ create: { width: 500, height: 500, channels: 3, background } });
    return new Blob([new Uint8Array(await image.png().toBuffer())], { type: 'image/png' });
  };
  const before = await account();
  const upload = async (avatar: Blob, header: Blob) => {
    await alice.get(PATH);
    const described = { avatar_description: 'A teal square', header_description: 'A navy field' };
    return alice.submit(PATH, { display_name: 'Alice A.', ...described, avatar, header });
  };
  assert.equal((await upload(await picture('teal'), await picture('navy'))).location, `${PATH}?saved=true`);
  const changed = await account();
  assert.notEqual(changed.avatar, before.avatar);
  assert.notEqual(changed.header, before.header);
  assert.deepEqual([changed.avatar_description, changed.header_description], ['A teal square', 'A navy field']);
  const { text } = await alice.get(PATH);
  for (const url of [changed.avatar_static, changed.header_static]) assert.ok(text.includes(`src="${url}"`), url);
  assert.equal((await upload(new Blob(['<svg onload="x">'], { type: 'image/png' }), new Blob([]))).status, 422);
  assert.equal((await account()).avatar, changed.avatar);
  assert.equal((await upload(new Blob([]), new Blob([]))).status, 303, 'empty fields keep the pictures');
  const { avatar, header } = await account();
  assert.deepEqual([avatar, header], [changed.avatar, changed.header]);
});

test('a person hides sections of their page, and a refused form keeps the ticks', async () => {
  const ticked = (text: string) =>
    [...text.matchAll(/type="checkbox" name="(\w+)" value="true" checked/g)].map(([, name]) => name);
  const all = ['show_media', 'show_media_replies', 'show_featured'];
  const shown = { show_media: 'true', show_media_replies: 'true', show_featured: 'true' };
  await alice.get(PATH);
  await alice.submit(PATH, { ...shown, display_name: 'Alice A.' });
  await alice.get(PATH);
  const { csrf = '' } = alice.hidden(PATH);
  assert.equal((await alice.post(PATH, { csrf, display_name: 'Alice A.' })).status, 303);
  assert.deepEqual(ticked((await alice.get(PATH)).text), all, 'a form without the ticks changes none');
  const hidden = { show_media: 'false', show_media_replies: 'true', show_featured: 'false' };
  await alice.submit(PATH, { display_name: 'Alice A.', ...hidden });
  assert.deepEqual(ticked((await alice.get(PATH)).text), ['show_media_replies']);
  assert.equal((await account()).show_media, false);
  assert.equal((await alice.get('/@alice/media')).status, 404);
  await alice.get(PATH);
  const refused = await alice.submit(PATH, { ...shown, display_name: 'x'.repeat(1_000) });
  assert.deepEqual([refused.status, ticked(refused.text)], [422, all]);
  assert.equal((await account()).show_media, false);
  await alice.get(PATH);
  await alice.submit(PATH, { ...shown, display_name: 'Alice A.' });
  assert.deepEqual(ticked((await alice.get(PATH)).text), all);
  await alice.get(PATH);
  assert.equal((await alice.submit(PATH, { show_media: 'perhaps' })).status, 422);
});

test('a refused form keeps what was typed and changes nothing', async () => {
  await alice.get(PATH);
  const refused = await alice.submit(PATH, { display_name: 'x'.repeat(1_000), note: 'kept " text' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /role="alert">[^<]+.*x{1000}.*kept &quot; text<\/textarea>/s);
  assert.equal((await account()).display_name, 'Alice A.');
});

test('a form without the token of the session changes nothing', async () => {
  assert.equal((await alice.post(PATH, { display_name: 'Mallory', csrf: 'x'.repeat(43) })).status, 403);
  assert.equal((await account()).display_name, 'Alice A.');
});
