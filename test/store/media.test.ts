import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { systemClock } from '../../actors/runtime/system.js';
import { FolderMedia } from '../../store/media/folder-media.js';
import { MEDIA_CHUNK_BYTES, MEDIA_PART_CHUNKS, TableMedia } from '../../store/media/table-media.js';
import { type MediaStore, readWhole } from '../../store/media.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';

const folder = await mkdtemp(join(tmpdir(), 'murmuration-media-'));
after(() => rm(folder, { recursive: true, force: true }));

/** More than one partition of chunks, and a part of a chunk. */
const LARGE = MEDIA_CHUNK_BYTES * MEDIA_PART_CHUNKS + MEDIA_CHUNK_BYTES + 17;
const bytesOf = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31) % 251));

const stores: Readonly<Record<string, MediaStore>> = {
  folder: new FolderMedia(join(folder, 'deep', 'media')),
  rows: new TableMedia(new MemoryTables(), systemClock),
};

for (const [name, store] of Object.entries(stores)) {
  describe(`media in ${name}`, () => {
    test('a stored file is read back, whole and in any part', async () => {
      for (const length of [0, 1, MEDIA_CHUNK_BYTES, LARGE]) {
        const bytes = bytesOf(length);
        const file = `${length}.png`;
        await store.put(file, bytes);
        assert.deepEqual(await readWhole(store, file), bytes);
        const opened = await store.open(file);
        assert.equal(opened?.size, length);
        for (const [from, to] of [
          [0, Math.min(1, length)],
          [Math.floor(length / 2), length],
          [Math.max(0, length - 20), length],
          [Math.max(0, length - MEDIA_CHUNK_BYTES * 2 - 3), Math.max(0, length - 5)],
        ] as const) {
          const pieces: Uint8Array[] = [];
          for await (const piece of opened?.read(from, to) ?? []) pieces.push(piece);
          assert.deepEqual(Buffer.concat(pieces), bytes.subarray(from, to), `${length}: ${from} to ${to}`);
        }
      }
    });

    test('a removed file is gone, and need not have existed', async () => {
      await store.put('gone.png', bytesOf(MEDIA_CHUNK_BYTES + 1));
      await store.remove('gone.png');
      assert.equal(await store.open('gone.png'), undefined);
      await store.remove('gone.png');
      assert.equal(await store.open('never.png'), undefined);
    });
  });
}
