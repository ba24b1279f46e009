import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { operate } from '../../../cli/operations.js';
import { TestServer } from '../../kit/server.js';

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
const run = (name: 'emoji.add' | 'emoji.remove' | 'emoji.list', input: object) =>
  operate(server.node, name, input as never, () => undefined);

test('an operator’s emoji are listed with their pictures, changed, and taken away', async () => {
  assert.deepEqual(await listed(), []);
  await run('emoji.add', { shortcode: 'sun', path: await file('sun.png', 400), category: 'sky' });
  const [sun] = await listed();
  assert.deepEqual([sun.shortcode, sun.category, sun.visible_in_picker, sun.static_url], ['sun', 'sky', true, sun.url]);
  const picture = await fetch(`${server.url}${new URL(sun.url).pathname}`);
  assert.equal((await sharp(Buffer.from(await picture.arrayBuffer())).metadata()).width, 128);
  await run('emoji.add', { shortcode: 'sun', path: await file('sun2.png', 20) });
  const [again] = await listed();
  assert.notEqual(again.url, sun.url);
  assert.equal((await fetch(`${server.url}${new URL(sun.url).pathname}`)).status, 404);
  assert.deepEqual(await run('emoji.list', {}), { emojis: [{ shortcode: 'sun', category: '' }] });
  await run('emoji.remove', { shortcode: 'sun' });
  assert.deepEqual(await listed(), []);
});

test('bad names, what is no picture, and what is not there are refused', async () => {
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
