import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { auditOf } from '../../../../gateway/moderation/audit.js';
import type { Visitor } from '../../../kit/network/visitor.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';
import { makeUser } from '../../oauth/stage.js';
import { sendForm, signedIn } from './staff-browser.js';

const RULES = '/moderation/rules';
const ANNOUNCEMENTS = '/moderation/announcements';
const EMOJI = '/moderation/custom_emojis';
const MARKUP = '<script>alert(1)</script>';
let server: TestServer;
let chief: Visitor;
let alice: Person;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'chief', 'admin');
  chief = await signedIn(server, 'chief');
  alice = await server.person('alice');
});
after(() => server?.stop());

/** Opens the page and sends its form. */
async function submit(page: string, fields: Readonly<Record<string, string>>, action = page) {
  await chief.get(page);
  return chief.submit(action, fields);
}

const rules = async () => (await server.get('/api/v1/instance/rules')).body;
const announced = async () => (await alice.get('/api/v1/announcements')).body;
const listed = async () => (await server.get('/api/v1/custom_emojis')).body;

test('an administrator adds, changes and removes a rule (/moderation/rules/:id)', async () => {
  assert.equal((await submit(RULES, { text: ' Be kind ', hint: `To all ${MARKUP}` })).location, `${RULES}?done=true`);
  await submit(RULES, { text: 'No spam' });
  assert.deepEqual(
    (await rules()).map(({ text }: { text: string }) => text),
    ['Be kind', 'No spam'],
  );
  const { text } = await chief.get(RULES);
  assert.match(text, /Be kind.*To all &lt;script>.*No spam/s);
  assert.ok(!text.includes(MARKUP));
  const [{ id }] = await rules();
  const page = `${RULES}/${id}`;
  assert.equal((await submit(page, { text: 'Be very kind', hint: '' })).status, 303);
  const [changed] = await rules();
  assert.deepEqual([changed.id, changed.text, changed.hint], [id, 'Be very kind', '']);
  assert.equal((await submit(RULES, {}, `/moderation/rules/${id}/delete`)).status, 303);
  assert.equal((await rules()).length, 1);
  assert.equal((await auditOf(server.node.services, 1))[0]?.by, 'chief');
});

test('rules without a text, and with one that is too long, change nothing and keep what was typed', async () => {
  const before = await rules();
  for (const fields of [
    { text: '  ', hint: 'Typed words' },
    { text: 'x'.repeat(50_001), hint: 'Typed words' },
    { text: 'fine', hint: `Typed words${'x'.repeat(50_001)}` },
  ]) {
    const refused = await submit(RULES, fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /role="alert"/);
    assert.ok(refused.text.includes('Typed words'));
  }
  assert.equal((await submit(RULES, { text: 'forged', csrf: 'forged' })).status, 403);
  assert.equal((await chief.get(`${RULES}/999999999999999999`)).status, 404);
  assert.deepEqual(await rules(), before);
});

test('an announcement shows until it ends (/moderation/announcements/:id/delete)', async () => {
  assert.equal((await submit(ANNOUNCEMENTS, { text: `Back soon ${MARKUP}`, expires_in: '86400' })).status, 303);
  const [before] = await announced();
  assert.match(before.content, /Back soon &lt;script/);
  assert.ok(Date.parse(before.ends_at) > Date.parse(before.published_at));
  const page = `${ANNOUNCEMENTS}/${before.id}`;
  assert.equal((await submit(page, { text: 'Back now', expires_in: 'keep' })).status, 303);
  const [kept] = await announced();
  assert.deepEqual([kept.content, kept.ends_at], ['<p>Back now</p>', before.ends_at]);
  for (const end of ['soon', '-1', '1.5', '99999999999999999'])
    assert.equal((await submit(page, { text: 'Back now', expires_in: end })).status, 422, end);
  assert.equal((await submit(page, { text: '', expires_in: 'keep' })).status, 422);
  assert.equal((await submit(ANNOUNCEMENTS, {}, `/moderation/announcements/${before.id}/delete`)).status, 303);
  assert.deepEqual(await announced(), []);
});

test('an administrator adds an emoji with its picture, changes and removes it (/moderation/custom_emojis)', async () => {
  const image = sharp({ create: { width: 40, height: 40, channels: 4, background: '#fc0' } });
  const picture = new Blob([await image.png().toBuffer()], { type: 'image/png' });
  const send = async (fields: Readonly<Record<string, string | Blob>>) => {
    await chief.get(EMOJI);
    return sendForm(server, chief, EMOJI, fields);
  };
  const added = await send({ shortcode: ':sun:', category: 'sky', picture });
  assert.equal(added.headers.get('location'), `${EMOJI}?done=true`, await added.text());
  await until('it is listed', async () => (await listed()).length === 1 || undefined, 10_000);
  const [sun] = await listed();
  assert.deepEqual([sun.shortcode, sun.category], ['sun', 'sky']);
  const { text } = await chief.get(EMOJI);
  assert.match(text, new RegExp(`<img class="emoji" src="${sun.static_url}".*:sun:.*sky`, 's'));
  for (const [fields, field] of [
    [{ shortcode: 's', category: 'sky', picture }, 'shortcode'],
    [{ shortcode: 'moon', category: 'x'.repeat(101), picture }, 'category'],
    [{ shortcode: 'moon', category: 'sky', picture: new Blob(['no picture']) }, 'picture'],
    [{ shortcode: 'moon', category: 'sky' }, 'picture'],
    [{ shortcode: 'moon', category: 'sky', picture: new Blob([new Uint8Array(270_000)]) }, 'picture'],
  ] as const) {
    const refused = await send(fields);
    const page = await refused.text();
    assert.equal(refused.status === 413 ? 422 : refused.status, 422, field);
    if (refused.status === 422) assert.match(page, new RegExp(`id="${field}-wrong" role="alert"`));
  }
  assert.equal((await send({ shortcode: 'moon', picture, csrf: 'forged' })).status, 403);
  assert.equal((await listed()).length, 1);
  const [, id = ''] = /action="\/moderation\/custom_emojis\/(\d+)\/delete"/.exec(text) ?? [];
  assert.equal((await submit(EMOJI, {}, `/moderation/custom_emojis/${id}/delete`)).status, 303);
  await until('none is listed', async () => (await listed()).length === 0 || undefined, 10_000);
  assert.equal((await server.send(new URL(sun.url).pathname)).status, 404);
});
