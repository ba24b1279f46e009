import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { auditOf } from '../../../../../gateway/moderation/audit.js';
import type { Visitor } from '../../../../kit/network/visitor.js';
import { type Person, TestServer } from '../../../../kit/services/server.js';
import { until } from '../../../../kit/time/until.js';
import { makeUser, signedIn } from '../../../oauth/stage.js';

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

test('an announcement shows from its start to its end (/moderation/announcements/:id/delete)', async () => {
  const fields = { text: `Back soon ${MARKUP}`, starts_at: '2026-01-02T03:04', ends_at: '2999-12-31T23:00' };
  assert.equal((await submit(ANNOUNCEMENTS, fields)).status, 303);
  const [before] = await announced();
  assert.match(before.content, /Back soon &lt;script/);
  const times = ({ starts_at, ends_at, all_day }: Readonly<Record<string, unknown>>) => [starts_at, ends_at, all_day];
  assert.deepEqual(times(before), ['2026-01-02T03:04:00.000Z', '2999-12-31T23:00:00.000Z', false]);
  assert.match((await chief.get(ANNOUNCEMENTS)).text, /from <time dateTime="2026-01-02T03:04:00.000Z".*until <time/is);
  const page = `${ANNOUNCEMENTS}/${before.id}`;
  const { text } = await chief.get(page);
  assert.match(text, /type="datetime-local" value="2026-01-02T03:04".*value="2999-12-31T23:00"/s);
  const { text: _text, ...typed } = fields;
  assert.equal((await submit(page, { ...typed, text: 'Whole days', all_day: 'true' })).status, 303);
  const [days] = await announced();
  assert.deepEqual(times(days), ['2026-01-02T00:00:00.000Z', '2999-12-31T23:59:59.999Z', true]);
  for (const [wrong, field] of [
    [{ ends_at: '2026-01-02T03:03', starts_at: '2026-01-02T03:04', all_day: 'false' }, 'ends_at'],
    [{ ends_at: '2026-01-01T12:00', starts_at: '2026-01-02T03:04' }, 'ends_at'],
    [{ starts_at: 'soon' }, 'starts_at'],
    [{ starts_at: '2026-02-31T10:00' }, 'starts_at'],
    [{ ends_at: '99999-01-01T10:00' }, 'ends_at'],
    [{ ends_at: '2026-01-02' }, 'ends_at'],
    [{ starts_at: MARKUP }, 'starts_at'],
    [{ text: '' }, 'text'],
  ] as const) {
    const refused = await submit(page, { text: 'Refused', ...wrong });
    assert.equal(refused.status, 422, JSON.stringify(wrong));
    assert.match(refused.text, new RegExp(`id="${field}-wrong" role="alert"`));
    assert.ok(!refused.text.includes(MARKUP));
  }
  assert.deepEqual(await announced(), [days]);
  assert.equal((await submit(page, { text: 'Later', starts_at: '2998-01-01T00:00' })).status, 303);
  assert.deepEqual(await announced(), []);
  assert.equal((await submit(ANNOUNCEMENTS, {}, `/moderation/announcements/${before.id}/delete`)).status, 303);
});

test('an administrator adds an emoji with its picture, changes and removes it (/moderation/custom_emojis)', async () => {
  const image = sharp({ create: { width: 40, height: 40, channels: 4, background: '#fc0' } });
  const picture = new Blob([await image.png().toBuffer()], { type: 'image/png' });
  const send = async (fields: Readonly<Record<string, string | Blob>>) => {
    await chief.get(EMOJI);
    return chief.submit(EMOJI, fields);
  };
  const added = await send({ shortcode: ':sun:', category: 'sky', picture });
  assert.equal(added.location, `${EMOJI}?done=true`, added.text);
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
    const page = refused.text;
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
