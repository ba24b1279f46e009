import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { Cache, type Caches } from '../../../store/cache/cache.js';
import type { Tables } from '../../../store/port.js';
import { statuses } from '../../../store/tables.js';
import type { FederationClient } from '../../../transport/federation/port.js';
import { eachBounded } from '../../domain/each-bounded.js';
import type { Clock } from '../../domain/time.js';
import { idOf } from '../reading/values.js';
import { itemsOf } from './collection.js';
import { isMissing, type RemoteNotes, type RemoteThreads, type ThreadRefresh } from './port.js';

/** Time between two refreshes of a thread. Source: Mastodon, 15 min. */
const EVERY_MS = 900_000;
/** Longest duration of a refresh: clients ask for its end. */
const REFRESH_MS = 30_000;
/** Refreshes of a node at the same time. No further one begins; the next reader of the thread may begin it. */
const RUNNING_MAX = 16;
/** Threads whose last refresh is remembered, some 200 bytes each. */
const THREADS_MAX = 10_000;
/** Answers that one refresh looks up, and those of one collection. */
const THREAD_MAX = 1_000;
const COLLECTION_MAX = 500;
/** Answers of a thread that are looked up at the same time. */
const AT_ONCE_MAX = 4;

/** The dependencies of Threads. */
export interface ThreadsContext {
  readonly tables: Pick<Tables, 'get'>;
  readonly client: Pick<FederationClient, 'object'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly caches?: Caches | undefined;
  readonly notes: Pick<RemoteNotes, 'known' | 'find'>;
}

interface Refresh {
  readonly id: string;
  readonly conversationId: string;
  readonly startedMs: number;
  isRunning: boolean;
  found: number;
}

/** Completes threads: fetches the answers that the servers of its statuses list. */
export class Threads implements RemoteThreads {
  readonly #around: ThreadsContext;
  readonly #refreshes: Cache<Refresh>;
  #running = 0;

  constructor(around: ThreadsContext) {
    this.#around = around;
    this.#refreshes = new Cache('thread_refreshes', THREADS_MAX, around.caches);
  }

  refresh(conversationId: string, shown: readonly StoreStatusRecord[]): ThreadRefresh | undefined {
    const nowMs = this.#around.clock.nowMs();
    const known = this.#refreshes.get(conversationId);
    if (known !== undefined && nowMs - known.startedMs < EVERY_MS) return known.isRunning ? told(known) : undefined;
    const first = shown.filter(({ remote }) => remote !== undefined && remote.repliesUri !== '');
    if (first.length === 0 || this.#running >= RUNNING_MAX) return undefined;
    const id = `${conversationId}-${nowMs}`;
    const refresh = { id, conversationId, startedMs: nowMs, isRunning: true, found: 0 };
    this.#refreshes.set(conversationId, refresh);
    void this.#run(refresh, first);
    return told(refresh);
  }

  state(id: string): ThreadRefresh | undefined {
    const [, conversationId = '', started] = /^(\d{1,20})-(\d{1,15})$/.exec(id) ?? [];
    if (started === undefined) return undefined;
    const known = this.#refreshes.get(conversationId);
    if (known?.id === id) return told(known);
    // Another node runs it, or ran it.
    const ageMs = this.#around.clock.nowMs() - Number(started);
    return { id, isRunning: ageMs >= 0 && ageMs < REFRESH_MS, found: undefined };
  }

  async #run(refresh: Refresh, first: readonly StoreStatusRecord[]): Promise<void> {
    this.#running += 1;
    try {
      await this.#walk(refresh, [...first]);
    } catch {
      // The store did not answer. The rest is found by a later refresh.
    } finally {
      this.#running -= 1;
      refresh.isRunning = false;
    }
  }

  /** Looks up the answers to statuses, and the answers to those that are new. */
  async #walk(refresh: Refresh, queue: StoreStatusRecord[]): Promise<void> {
    const { clock, notes, tables } = this.#around;
    const untilMs = clock.monotonicMs() + REFRESH_MS;
    const asked = new Set<string>();
    const isOver = () => clock.monotonicMs() >= untilMs || asked.size >= THREAD_MAX;
    for (let status = queue.shift(); status !== undefined && !isOver(); status = queue.shift()) {
      const answers = await this.#answersTo(status, isOver);
      await eachBounded(answers, AT_ONCE_MAX, async (uri) => {
        if (asked.has(uri) || isOver()) return;
        asked.add(uri);
        if ((await notes.known(uri)) !== undefined) return;
        const found = await notes.find(uri);
        if (isMissing(found) || found.conversationId !== refresh.conversationId) return;
        refresh.found += 1;
        const record = await tables.get(statuses, { status: found.id });
        if (record?.remote !== undefined && record.remote.repliesUri !== '') queue.push(record);
      });
    }
  }

  /** Returns the addresses of the answers that the status's own server lists. */
  async #answersTo({ origin, remote }: StoreStatusRecord, isOver: () => boolean): Promise<ReadonlySet<string>> {
    const bounds = { owner: origin?.uri, itemsMax: COLLECTION_MAX, isOver };
    const items = await itemsOf(this.#around.client, remote?.repliesUri || undefined, bounds);
    return new Set(items.map(idOf).filter((uri) => uri !== undefined));
  }
}

const told = ({ id, isRunning, found }: Refresh): ThreadRefresh => ({ id, isRunning, found });
