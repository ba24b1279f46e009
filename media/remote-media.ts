import { createHash } from 'node:crypto';
import { fileType } from '../actors/domain/media.js';
import type { Clock, Random, Timer } from '../actors/domain/time.js';
import { Cache, type Caches } from '../store/cache/cache.js';
import { REMOTE_MEDIA_S, remoteMedia, remoteMediaAges } from '../store/federation-tables.js';
import type { MediaStore, StoredFile } from '../store/media.js';
import { put, remove, type Tables } from '../store/port.js';
import { sniff } from './sniff.js';

/** Partitions of the ages. Each has its part of the bytes. */
export const AGE_LANES = 8;
/** Failed addresses that are remembered, some 200 bytes each, and for how long. */
const FAILURES_MAX = 10_000;
const FAILURE_MS = 600_000;
/** Requests that wait for a fetch: those beyond are refused, so that slow servers do not hold all requests. */
const WAITING_MAX = 512;
/** Interval of the removal of old files, and the part of the bytes after which it runs sooner. */
const SWEEP_MS = 3_600_000;
const SWEEP_PART = 1 / 32;
const PAGE_ROWS = 500;

/** The reason for having no file. `busy`: it may be there later; `missing`: there is none that is shown. */
type NoFile = 'busy' | 'missing';

/** A cached file, with its media type. The name is that of this content. */
interface CachedFile {
  readonly name: string;
  readonly type: string;
  readonly file: StoredFile;
}

export interface RemoteMediaNeeds {
  readonly tables: Pick<Tables, 'get' | 'range' | 'write'>;
  readonly media: MediaStore;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'after'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly caches?: Caches;
  /** Fetches a file of another server. Never throws. */
  readonly fetch: (url: string) => Promise<Uint8Array | NoFile>;
  /** Bytes of all cached files. They may exceed it by what an hour brings. */
  readonly bytesMax: number;
  /** Returns true if this node removes the old files of a lane. */
  readonly isMine: (lane: number) => boolean;
  readonly failed: (error: unknown) => void;
}

/**
 * Files of other servers, fetched when they are first read and kept for 30 days. A file is named by its age before it is
 * written, and by its address after that: a crash leaves neither half a file nor one that is never removed.
 */
export class RemoteMedia {
  readonly #needs: RemoteMediaNeeds;
  readonly #failures: Cache<number>;
  /** Fetches in progress, by key of the address. */
  readonly #underWay = new Map<string, Promise<CachedFile | NoFile>>();
  #waiting = 0;
  #addedBytes = 0;
  #sweep: Timer | undefined;
  #closed = false;

  constructor(needs: RemoteMediaNeeds) {
    this.#needs = needs;
    this.#failures = new Cache('failed_media', FAILURES_MAX, needs.caches);
  }

  start(): void {
    this.#sweepAfter(SWEEP_MS);
  }

  close(): void {
    this.#closed = true;
    this.#sweep?.cancel();
  }

  /** Returns the file at an address of another server, which is fetched at most once. @throws Unavailable */
  async open(url: string): Promise<CachedFile | NoFile> {
    const key = createHash('sha256').update(url).digest('hex');
    if ((this.#failures.get(key) ?? 0) > this.#needs.clock.monotonicMs()) return 'missing';
    const known = await this.#cached(key);
    if (known !== undefined) return known;
    if (this.#waiting >= WAITING_MAX) return 'busy';
    this.#waiting += 1;
    try {
      const underWay = this.#underWay.get(key) ?? this.#begin(key, url);
      return await underWay;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Removes files of this node's lanes that are too old or too many. @throws Unavailable */
  async sweep(): Promise<void> {
    this.#addedBytes = 0;
    for (let lane = 0; lane < AGE_LANES; lane++) if (this.#needs.isMine(lane)) await this.#sweepLane(lane);
  }

  async #cached(key: string): Promise<CachedFile | undefined> {
    const row = await this.#needs.tables.get(remoteMedia, { url: key });
    const type = row && fileType(row.file);
    if (row === undefined || type === undefined) return undefined;
    const file = await this.#needs.media.open(row.file);
    return file && { name: row.file, type, file };
  }

  #begin(key: string, url: string): Promise<CachedFile | NoFile> {
    const fetching = this.#fetch(key, url).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, fetching);
    return fetching;
  }

  async #fetch(key: string, url: string): Promise<CachedFile | NoFile> {
    const { fetch, tables, media, clock, random } = this.#needs;
    const bytes = await fetch(url);
    const format = bytes instanceof Uint8Array ? sniff(bytes) : undefined;
    if (bytes === 'busy') return bytes;
    if (bytes === 'missing' || format === undefined) {
      this.#failures.set(key, clock.monotonicMs() + FAILURE_MS);
      return 'missing';
    }
    const name = `${Buffer.from(random.bytes(16)).toString('hex')}.remote.${format}`;
    const atMs = clock.nowMs();
    await tables.write([put(remoteMediaAges, { lane: laneOf(name), atMs, file: name }, { size: bytes.length })]);
    await media.put(name, bytes);
    await tables.write([put(remoteMedia, { url: key }, { file: name })]);
    this.#addedBytes += bytes.length;
    if (this.#addedBytes > this.#needs.bytesMax * SWEEP_PART) this.#sweepAfter(0);
    return (await this.#cached(key)) ?? 'busy';
  }

  #sweepAfter(delayMs: number): void {
    if (this.#closed) return;
    this.#sweep?.cancel();
    this.#sweep = this.#needs.clock.after(delayMs, () => void this.#sweepNow());
  }

  async #sweepNow(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.#needs.failed(error);
    }
    this.#sweepAfter(SWEEP_MS);
  }

  async #sweepLane(lane: number): Promise<void> {
    const { tables, clock, bytesMax } = this.#needs;
    const oldestMs = clock.nowMs() - REMOTE_MEDIA_S * 1_000;
    let room = bytesMax / AGE_LANES;
    let before: { readonly atMs: number; readonly file: string } | undefined;
    for (let more = true; more && !this.#closed; ) {
      const rows = await tables.range(remoteMediaAges, { lane }, { before, reverse: true, limit: PAGE_ROWS });
      for (const { key, value } of rows) {
        room -= value.size;
        if (room < 0 || key.atMs < oldestMs) await this.#remove(key);
        before = { atMs: key.atMs, file: key.file };
      }
      more = rows.length === PAGE_ROWS;
    }
  }

  /** The row of the address expires by itself; without the file it has no effect. */
  async #remove(key: { readonly lane: number; readonly atMs: number; readonly file: string }): Promise<void> {
    await this.#needs.media.remove(key.file);
    await this.#needs.tables.write([remove(remoteMediaAges, key)], { over: true });
  }
}

const laneOf = (name: string): number => Number.parseInt(name.slice(0, 2), 16) % AGE_LANES;
