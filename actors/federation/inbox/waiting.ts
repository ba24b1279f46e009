import { createHash } from 'node:crypto';
import type { StoreWaitingActivity } from '../../../proto/gen/types.js';
import { inboxWaiting } from '../../../store/federation-tables.js';
import { put, remove, type Tables } from '../../../store/port.js';
import { SHARDS } from '../../domain/ids.js';
import { Unavailable } from '../../domain/problem.js';
import type { Clock, Random, Timer } from '../../domain/time.js';
import { backoffMs } from '../../runtime/effects/backoff.js';
import type { Logger } from '../../runtime/logger.js';
import type { Placement } from '../../runtime/placement/placement.js';
import { hostOf } from '../reading/uris.js';
import type { WaitingRoom } from './inbox.js';
import type { Outcome } from './port.js';

/** Partitions of the waiting activities. Each node reads all of them after a takeover. */
export const WAITING_LANES = 16;
/** Interval of the reads of all lanes: rows of other nodes whose message was lost wait for this long. */
const LOOK_EVERY_MS = 30_000;
/** Delay of a read after a message or a change of shards: several share it. */
const LOOK_SOON_MS = 200;
/** Rows per page of a read. */
const PAGE_ROWS = 500;
/** Activities in memory, by key alone: some 500 bytes each. The others are read when these are done. */
const PENDING_MAX = 10_000;
/** Activities carried out at a time, in all and for one host. Most of their time is that of other servers. */
const AT_ONCE_MAX = 32;
const OF_HOST_MAX = 4;
/** Pause before the second attempt, and the longest one. */
const RETRY_FIRST_MS = 30_000;
const RETRY_MOST_MS = 6 * 3_600_000;
/** Age at which an activity is given up; rows expire then. */
const LIFE_MS = 2 * 86_400_000;
/** A read begins this far before the oldest row in memory: another node's row may be written late, by a slow clock. */
const LATE_MS = 600_000;

type Key = { readonly lane: number; readonly atMs: number; readonly seq: string };
interface Entry {
  readonly key: Key;
  readonly host: string;
  readonly object: string;
  attempts: number;
  timer: Timer | undefined;
}

export interface WaitingNeeds {
  readonly tables: Pick<Tables, 'get' | 'range' | 'write'>;
  readonly placement: Pick<Placement, 'epochOf'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Tells the other nodes that a lane has a new row. */
  readonly announce: (lane: number) => void;
  /** Carries out an activity, with fetches. @throws Unavailable to repeat it later */
  readonly carryOut: (activity: StoreWaitingActivity) => Promise<Outcome>;
}

/**
 * Activities that were answered with 202 and need a fetch. Rows make them durable. The node of a host's shard carries
 * them out, those about one object in order. After a crash or a takeover it reads the rows again.
 */
export class WaitingActivities implements WaitingRoom {
  readonly #needs: WaitingNeeds;
  /** Rows in memory, by their key. */
  readonly #known = new Map<string, Entry>();
  /** Activities about one object, in order; the first one is being carried out or waits for its next attempt. */
  readonly #objects = new Map<string, Entry[]>();
  /** First activities of their objects that may begin, by host. The host whose turn is next comes first. */
  readonly #ready = new Map<string, Entry[]>();
  readonly #running = new Map<string, number>();
  #runningAll = 0;
  #lanes = new Set<number>();
  #look: Timer | undefined;
  #looking = false;
  #isNew = true;
  #closed = false;

  constructor(needs: WaitingNeeds) {
    this.#needs = needs;
  }

  /** Number of activities in memory, for the metrics. */
  get size(): number {
    return this.#known.size;
  }

  start(): void {
    this.#lookAtAll(0);
  }

  close(): void {
    this.#closed = true;
    this.#look?.cancel();
    for (const { timer } of this.#known.values()) timer?.cancel();
  }

  async add({ signer, object, body }: Parameters<WaitingRoom['add']>[0]): Promise<void> {
    const { tables, clock, random, announce } = this.#needs;
    const host = hostOf(signer) ?? '';
    const lane = laneOf(host);
    const nowMs = clock.nowMs();
    const key = { lane, atMs: nowMs, seq: Buffer.from(random.bytes(9)).toString('base64url') };
    await tables.write([put(inboxWaiting, key, { host, signer, object, body, receivedAtMs: nowMs })]);
    if (this.#isHere(host)) this.#enter({ key, host, object, attempts: 0, timer: undefined });
    else announce(lane);
  }

  /** Another node has written a row of this lane. */
  announced(lane: number): void {
    this.#lanes.add(lane);
    this.#lookLater(LOOK_SOON_MS);
  }

  /** The hosts of other shards belong to this node now. */
  shardsChanged(): void {
    this.#isNew = true;
    this.#lookAtAll(LOOK_SOON_MS);
  }

  #isHere(host: string): boolean {
    return this.#needs.placement.epochOf(shardOf(host)) !== undefined;
  }

  #lookAtAll(delayMs: number): void {
    for (let lane = 0; lane < WAITING_LANES; lane++) this.#lanes.add(lane);
    this.#lookLater(delayMs);
  }

  #lookLater(delayMs: number): void {
    if (this.#closed || this.#looking) return;
    this.#look?.cancel();
    this.#look = this.#needs.clock.after(delayMs, () => void this.#lookNow());
  }

  async #lookNow(): Promise<void> {
    this.#looking = true;
    const lanes = this.#lanes.size === 0 ? Array.from({ length: WAITING_LANES }, (_, lane) => lane) : [...this.#lanes];
    const isNew = this.#isNew;
    this.#lanes = new Set();
    this.#isNew = false;
    try {
      for (const lane of lanes) await this.#read(lane, isNew);
    } catch (err) {
      this.#isNew ||= isNew;
      this.#log(err, {}, 'failed to read waiting activities');
    }
    this.#looking = false;
    this.#lookLater(this.#lanes.size > 0 ? LOOK_SOON_MS : LOOK_EVERY_MS);
  }

  /** Reads the rows of a lane; all of them if this node may not know the older ones. @throws Unavailable */
  async #read(lane: number, whole: boolean): Promise<void> {
    const { tables, clock } = this.#needs;
    const atMs = clock.nowMs() - (whole ? LIFE_MS : LOOK_EVERY_MS + LATE_MS);
    let after: Partial<Key> = { atMs: Math.max(0, atMs) };
    while (this.#known.size < PENDING_MAX) {
      const page = await tables.range(inboxWaiting, { lane }, { after, limit: PAGE_ROWS });
      for (const { key, value } of page) {
        const { host, object } = value;
        if (this.#isHere(host)) this.#enter({ key, host, object, attempts: 0, timer: undefined });
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_ROWS) return;
      after = { atMs: last.key.atMs, seq: last.key.seq };
    }
    // The next read finds the others.
    this.#isNew = true;
  }

  #enter(entry: Entry): void {
    const name = nameOf(entry.key);
    if (this.#known.has(name)) return;
    this.#known.set(name, entry);
    const queue = this.#objects.get(entry.object);
    if (queue === undefined) {
      this.#objects.set(entry.object, [entry]);
      this.#makeReady(entry);
    } else queue.push(entry);
  }

  #makeReady(entry: Entry): void {
    entry.timer = undefined;
    const queue = this.#ready.get(entry.host);
    if (queue === undefined) this.#ready.set(entry.host, [entry]);
    else queue.push(entry);
    this.#next();
  }

  /** Begins as many activities as may run, round robin over the hosts. */
  #next(): void {
    if (this.#closed) return;
    for (const [host, queue] of [...this.#ready]) {
      if (this.#runningAll >= AT_ONCE_MAX) return;
      const ofHost = this.#running.get(host) ?? 0;
      if (ofHost >= OF_HOST_MAX) continue;
      const entry = queue.shift();
      this.#ready.delete(host);
      if (queue.length > 0) this.#ready.set(host, queue);
      if (entry === undefined) continue;
      this.#runningAll++;
      this.#running.set(host, ofHost + 1);
      void this.#run(entry).finally(() => {
        this.#runningAll--;
        const left = (this.#running.get(host) ?? 1) - 1;
        if (left === 0) this.#running.delete(host);
        else this.#running.set(host, left);
        this.#next();
      });
    }
  }

  async #run(entry: Entry): Promise<void> {
    let isDone = false;
    try {
      isDone = await this.#attempt(entry);
    } catch (err) {
      this.#log(err, { host: entry.host }, 'failed to carry out a waiting activity');
    }
    if (isDone) this.#leave(entry);
    else if (!this.#closed) {
      const { clock, random } = this.#needs;
      const delayMs = backoffMs(entry.attempts++, RETRY_FIRST_MS, RETRY_MOST_MS, random);
      entry.timer = clock.after(delayMs, () => this.#makeReady(entry));
    }
  }

  /** Returns true if the activity needs no further attempt here. @throws Unavailable */
  async #attempt({ key, host }: Entry): Promise<boolean> {
    const { tables, clock, carryOut } = this.#needs;
    if (!this.#isHere(host)) return true;
    const activity = await tables.get(inboxWaiting, key);
    if (activity === undefined) return true;
    const isOld = clock.nowMs() - activity.receivedAtMs > LIFE_MS;
    if (!isOld && (await carryOut(activity)) === 'later') return false;
    // Another node, whose clock may be ahead, may have written the row.
    await tables.write([remove(inboxWaiting, key)], { over: true });
    return true;
  }

  #leave(entry: Entry): void {
    this.#known.delete(nameOf(entry.key));
    const queue = this.#objects.get(entry.object) ?? [];
    queue.shift();
    const next = queue[0];
    if (next === undefined) this.#objects.delete(entry.object);
    else this.#makeReady(next);
  }

  #log(err: unknown, fields: object, message: string): void {
    const { logger } = this.#needs;
    if (err instanceof Unavailable) logger.warn({ ...fields, err }, message);
    else logger.error({ ...fields, err }, message);
  }
}

const nameOf = ({ lane, atMs, seq }: Key): string => `${lane}/${atMs}/${seq}`;

const shardOf = (host: string): number => createHash('sha256').update(host).digest().readUInt16BE() % SHARDS;

/** Returns the lane of the activities of a host. */
export const laneOf = (host: string): number => shardOf(host) % WAITING_LANES;
