import { eachBounded } from '../../actors/domain/each-bounded.js';
import type { Clock } from '../../actors/domain/time.js';
import type { MediaStore, StoredFile } from '../media.js';
import { put, remove, type Tables } from '../port.js';
import { mediaChunks, mediaFiles } from '../tables.js';

/** Size of one row: a size that Cassandra handles well (docs/adr/0015). */
export const MEDIA_CHUNK_BYTES = 64 * 1_024;
/** Rows of one partition: 8 MiB. */
export const MEDIA_PART_CHUNKS = 128;
/** Rows that one upload writes at a time: a megabyte in flight. */
const AT_ONCE_MAX = 16;
/** Rows that one reader fetches at a time, a megabyte. */
const READ_CHUNKS = 16;

type Rows = Pick<Tables, 'get' | 'range' | 'write'>;

/** Files as rows of the store: as durable as statuses, and available on every node. */
export class TableMedia implements MediaStore {
  constructor(
    private readonly tables: Rows,
    private readonly clock: Pick<Clock, 'nowMs'>,
  ) {}

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const chunks = Math.ceil(bytes.length / MEDIA_CHUNK_BYTES);
    await eachBounded(Array(chunks).keys(), AT_ONCE_MAX, async (index) => {
      const from = index * MEDIA_CHUNK_BYTES;
      const chunk = bytes.subarray(from, from + MEDIA_CHUNK_BYTES);
      await this.tables.write([put(mediaChunks, chunkKey(name, index), { bytes: chunk })]);
    });
    // Last, so that a reader who finds the record finds all chunks.
    const record = { size: bytes.length, atMs: this.clock.nowMs() };
    await this.tables.write([put(mediaFiles, { name }, record)]);
  }

  async open(name: string): Promise<StoredFile | undefined> {
    const record = await this.tables.get(mediaFiles, { name });
    if (record === undefined) return undefined;
    return { size: record.size, read: (from, to) => this.read(name, from, to) };
  }

  async remove(name: string): Promise<void> {
    const record = await this.tables.get(mediaFiles, { name });
    if (record === undefined) return;
    const chunks = Math.ceil(record.size / MEDIA_CHUNK_BYTES);
    await eachBounded(Array(chunks).keys(), AT_ONCE_MAX, (index) =>
      this.tables.write([remove(mediaChunks, chunkKey(name, index))], { over: true }),
    );
    await this.tables.write([remove(mediaFiles, { name })], { over: true });
  }

  private async *read(name: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    for (let at = from; at < to; ) {
      const index = Math.floor(at / MEDIA_CHUNK_BYTES);
      const { part, chunk } = chunkKey(name, index);
      const last = Math.floor((to - 1) / MEDIA_CHUNK_BYTES);
      const limit = Math.min(READ_CHUNKS, last - index + 1, MEDIA_PART_CHUNKS - chunk);
      const after = chunk === 0 ? {} : { after: { chunk: chunk - 1 } };
      const rows = await this.tables.range(mediaChunks, { name, part }, { ...after, limit });
      if (rows.length === 0) throw new Error(`${name} has lost chunk ${index}`);
      for (const { value } of rows) {
        const within = at % MEDIA_CHUNK_BYTES;
        const piece = value.bytes.subarray(within, Math.min(value.bytes.length, within + to - at));
        yield piece;
        at += piece.length;
      }
    }
  }
}

function chunkKey(name: string, index: number) {
  return { name, part: Math.floor(index / MEDIA_PART_CHUNKS), chunk: index % MEDIA_PART_CHUNKS };
}
