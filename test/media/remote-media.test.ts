import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { RemoteMedia, type RemoteMediaNeeds } from '../../media/remote-media.js';
import { TableMedia } from '../../store/media/table-media.js';
import type { MediaStore } from '../../store/media.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';

const png = (bytes = 16) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(bytes - 8)]);
const URL_ = 'https://far.example/a.png';
const DAY_MS = 86_400_000;

function opened(fetch: RemoteMediaNeeds['fetch'], more: Partial<RemoteMediaNeeds> = {}) {
  const [tables, clock] = [new MemoryTables(), new VirtualClock()];
  const media: MediaStore & { names: Set<string> } = Object.assign(new TableMedia(tables, clock), {
    names: new Set<string>(),
  });
  const { put, remove } = media;
  media.put = async (name, bytes) => {
    await put.call(media, name, bytes);
    media.names.add(name);
  };
  media.remove = async (name) => {
    await remove.call(media, name);
    media.names.delete(name);
  };
  const needs = {
    ...{ tables, media, clock, random: { bytes: randomBytes }, fetch, bytesMax: 10 * 2 ** 30 },
    ...{ isMine: () => true, failed: (error: unknown) => assert.fail(String(error)), ...more },
  };
  return { files: new RemoteMedia(needs), clock, media, needs };
}

test('a file is fetched once, for all who want it at the same time and later', async () => {
  let fetches = 0;
  const { files } = opened(async () => {
    fetches += 1;
    return png();
  });
  const all = await Promise.all([files.open(URL_), files.open(URL_)]);
  for (const found of [...all, await files.open(URL_)])
    assert.ok(typeof found === 'object' && found.type === 'image/png' && found.file.size === 16);
  assert.equal(fetches, 1);
});

test('pages, drawings and programs are not kept, and their failure is remembered for ten minutes', async () => {
  for (const text of ['<html><script>', '<svg onload="x">', '<?xml version="1.0"?><svg>', '%PDF-1.7', '', '\x7fELF']) {
    let fetches = 0;
    const { files, clock, media } = opened(async () => {
      fetches += 1;
      return Buffer.from(text);
    });
    for (let time = 0; time < 3; time++) assert.equal(await files.open(URL_), 'missing', text);
    assert.deepEqual([fetches, media.names.size], [1, 0]);
    await clock.advance(601_000);
    await files.open(URL_);
    assert.equal(fetches, 2);
  }
});

test('an overload is not remembered, and those who would wait too long are refused', async () => {
  let busy = true;
  const { files } = opened(async () => (busy ? 'busy' : png()));
  assert.equal(await files.open(URL_), 'busy');
  busy = false;
  assert.ok(typeof (await files.open(URL_)) === 'object');
  let answer: (found: 'missing') => void = assert.fail;
  const fetching = new Promise<'missing'>((resolve) => {
    answer = resolve;
  });
  const full = opened(() => fetching).files;
  const waiting = Array.from({ length: 600 }, () => full.open(URL_));
  const refused = await Promise.race([...waiting.slice(512)]);
  assert.equal(refused, 'busy');
  answer('missing');
  assert.equal((await Promise.all(waiting)).filter((one) => one === 'missing').length, 512);
});

test('the oldest files are removed, and those older than 30 days', async () => {
  const kept = 1_000;
  const { files, clock, media } = opened(async () => png(kept), { bytesMax: 8 * 3 * kept });
  for (let number = 0; number < 60; number++) {
    await files.open(`${URL_}?${number}`);
    await clock.advance(1_000);
  }
  await files.sweep();
  assert.ok(media.names.size <= 24 && media.names.size >= 8, String(media.names.size));
  assert.ok(typeof (await files.open(`${URL_}?59`)) === 'object');
  await clock.advance(31 * DAY_MS);
  await files.sweep();
  assert.equal(media.names.size, 0);
});

test('a crash at any write leaves no half file and none that stays for ever', async () => {
  for (let writes = 0; writes < 4; writes++) {
    const { files, clock, media, needs } = opened(async () => png());
    const { write } = needs.tables;
    let left = writes;
    needs.tables.write = async (rows, options) => {
      if (left-- <= 0) throw new Error('killed');
      return write.call(needs.tables, rows, options);
    };
    await assert.rejects(files.open(URL_), /killed/);
    needs.tables.write = write;
    const again = new RemoteMedia(needs);
    const found = await again.open(URL_);
    assert.ok(typeof found === 'object' && found.file.size === 16, String(writes));
    await clock.advance(31 * DAY_MS);
    await again.sweep();
    assert.equal(media.names.size, 0, String(writes));
  }
});
