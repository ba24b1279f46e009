import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { systemClock } from '../../actors/runtime/system.js';
import { CassandraTables } from '../../store/cassandra/cassandra-tables.js';
import { MEDIA_CHUNK_BYTES, MEDIA_PART_CHUNKS, TableMedia } from '../../store/media/table-media.js';
import { readWhole } from '../../store/media.js';
import { mediaChunks, mediaFiles } from '../../store/tables.js';
import { cassandraAddress, dropKeyspace } from '../kit/services/cassandra.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };

test('a file of more than one partition comes back from Cassandra, whole and in part, and goes', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const few = [mediaChunks, mediaFiles];
  const tables = await CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, tables: few });
  try {
    const media = new TableMedia(tables, systemClock);
    const bytes = randomBytes(MEDIA_CHUNK_BYTES * MEDIA_PART_CHUNKS + MEDIA_CHUNK_BYTES + 17);
    await media.put('film.mp4', bytes);
    assert.ok(bytes.equals((await readWhole(media, 'film.mp4')) ?? Buffer.alloc(0)));
    const [from, to] = [MEDIA_CHUNK_BYTES * MEDIA_PART_CHUNKS - 5, MEDIA_CHUNK_BYTES * MEDIA_PART_CHUNKS + 5];
    const pieces: Uint8Array[] = [];
    for await (const piece of (await media.open('film.mp4'))?.read(from, to) ?? []) pieces.push(piece);
    assert.deepEqual(Buffer.concat(pieces), bytes.subarray(from, to));
    await media.remove('film.mp4');
    assert.equal(await media.open('film.mp4'), undefined);
  } finally {
    await tables.close();
    await dropKeyspace(keyspace);
  }
});
