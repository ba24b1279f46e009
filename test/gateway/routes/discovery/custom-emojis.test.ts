import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { operate } from '../../../../cli/operations.js';
import { putEntry } from '../../../../gateway/settings/changes.js';
import { TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

const file = async (name: string, side: number) => {
  const path = join(server.folder, name);
  const image = sharp({ create: { width: side, height: side, channels: 4, background: '#fc0' } });
  await writeFile(path, await image.png().toBuffer());
  return path;
};
const listed = async () => (await server.get('/api/v1/custom_emojis')).body;
const becomes = (what: string, test: () => boolean | Promise<boolean>) =>
  until(what, async () => (await test()) || undefined, 5_000);
const run = (name: 'emoji.add' | 'emoji.remove' | 'emoji.list', input: object) =>
  operate(server.node, name, input as never, () => undefined);

test('an operator’s emoji are listed with their pictures, changed, and removed', async () => {
  assert.deepEqual(await listed(), []);
  await run('emoji.add', { shortcode: 'sun', path: await file('sun.png', 400), category: 'sky' });
  await becomes('it is listed', async () => (await listed()).length === 1);
  const [sun] = await listed();
  assert.deepEqual([sun.shortcode, sun.category, sun.visible_in_picker, sun.static_url], ['sun', 'sky', true, sun.url]);
  const picture = await server.send(new URL(sun.url).pathname);
  assert.equal((await sharp(Buffer.from(await picture.arrayBuffer())).metadata()).width, 128);
  await run('emoji.add', { shortcode: 'sun', path: await file('sun2.png', 20) });
  await becomes('it has changed', async () => (await listed())[0].url !== sun.url);
  const [again] = await listed();
  assert.notEqual(again.url, sun.url);
  assert.equal((await server.send(new URL(sun.url).pathname)).status, 404);
  assert.deepEqual(await run('emoji.list', {}), { emojis: [{ shortcode: 'sun', category: '' }] });
  await run('emoji.remove', { shortcode: 'sun' });
  await becomes('none is listed', async () => (await listed()).length === 0);
});

test('entities list the emoji that their texts use, until an emoji is removed', async () => {
  const alice = await server.person('alice');
  for (const name of ['wave', 'owl', 'moss']) await run('emoji.add', { shortcode: name, path: await file(name, 10) });
  await becomes('all are listed', async () => (await listed()).length === 3);
  const codes = ({ emojis }: { emojis: { shortcode: string }[] }) => emojis.map(({ shortcode }) => shortcode).sort();
  const said = {
    status: 'hello :wave: x:owl: :none:',
    spoiler_text: ':moss:',
    poll: { options: [':owl:', 'b'], expires_in: 600 },
  };
  const { body: status } = await alice.post('/api/v1/statuses', said);
  assert.deepEqual([codes(status), codes(status.poll)], [['moss', 'owl', 'wave'], ['owl']]);
  const [wave] = status.emojis.filter((one: { shortcode: string }) => one.shortcode === 'wave');
  assert.deepEqual(Object.keys(wave).sort(), ['category', 'shortcode', 'static_url', 'url', 'visible_in_picker']);
  assert.deepEqual(codes((await alice.post('/api/v1/statuses', { status: 'word:owl: :owl:word' })).body), []);
  const profile = { display_name: ':owl:', note: 'see :wave:', fields_attributes: [{ name: 'x', value: ':moss:' }] };
  const account = await server.ask('PATCH', '/api/v1/accounts/update_credentials', profile, alice.token);
  assert.deepEqual(codes(account.body), ['moss', 'owl', 'wave']);
  assert.deepEqual(codes((await server.get(`/api/v1/statuses/${status.id}`)).body.account), ['moss', 'owl', 'wave']);
  const history = await alice.get(`/api/v1/statuses/${status.id}/history`);
  assert.deepEqual(codes(history.body[0]), ['moss', 'owl', 'wave']);
  await run('emoji.remove', { shortcode: 'owl' });
  const left = async () => {
    const { body } = await server.get(`/api/v1/statuses/${status.id}`);
    return [codes(body), codes(body.poll), codes(body.account)].join(' ');
  };
  await becomes('it is in no card any more', async () => (await left()) === 'moss,wave  moss,wave');
});

test('announcements list the emoji of their text, and accept them as reactions', async () => {
  await run('emoji.add', { shortcode: 'party', path: await file('party', 10) });
  const announcement = { text: 'today :party:', allDay: false, startsAtMs: 0, endsAtMs: 0 };
  await putEntry(server.node.services, '', { collection: 'announcements', announcement });
  const bob = await server.person('bob');
  const first = async () => (await bob.get('/api/v1/announcements')).body[0];
  await becomes('it is announced', async () => (await first())?.emojis[0]?.shortcode === 'party');
  const { id } = await first();
  const react = (name: string) => server.ask('PUT', `/api/v1/announcements/${id}/reactions/${name}`, {}, bob.token);
  assert.deepEqual([(await react('party')).status, (await react('nobody')).status], [200, 422]);
  await becomes('it is counted', async () => (await first()).reactions[0]?.url !== undefined);
  const [{ name, url, me }] = (await first()).reactions;
  assert.deepEqual([name, url, me], ['party', (await first()).emojis[0].url, true]);
});

test('bad names, files that are no pictures, and unknown emoji are refused', async () => {
  const path = await file('fine.png', 10);
  const text = join(server.folder, 'text.png');
  await writeFile(text, '<svg/>');
  for (const input of [
    { shortcode: 'x', path },
    { shortcode: 'a-b', path },
    { shortcode: 'sun', path: text },
    { shortcode: 'sun', path: '/nowhere' },
  ]) {
    await assert.rejects(run('emoji.add', input), { name: 'Refused' });
  }
  await assert.rejects(run('emoji.remove', { shortcode: 'sun' }), { name: 'Refused' });
});
