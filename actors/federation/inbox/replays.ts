import { Cache, type Caches } from '../../../store/cache/cache.js';
import { activities } from '../../../store/federation-tables.js';
import { put, type Tables } from '../../../store/port.js';
import { uriKey } from '../../domain/text/uri-key.js';

/**
 * Remembered signatures. A signature is valid for two hours around its date; at 200,000 in this time every one is
 * remembered for its life, in some 20 MB.
 */
const SIGNATURES_MAX = 200_000;
/** Bytes of a signature that tell it from others. */
const SIGNATURE_BYTES = 24;
/** Cached ids of activities, some 200 bytes each: servers repeat an activity within minutes. */
const ACTIVITIES_MAX = 20_000;

/** Signatures with which this node has taken a request. Other nodes know the activity's id (KnownActivities). */
export class SeenSignatures {
  readonly #seen: Cache<true>;

  constructor(caches?: Caches) {
    this.#seen = new Cache('seen_signatures', SIGNATURES_MAX, caches);
  }

  has(signature: Uint8Array): boolean {
    return this.#seen.get(keyOf(signature)) === true;
  }

  add(signature: Uint8Array): void {
    this.#seen.set(keyOf(signature), true);
  }
}

const keyOf = (signature: Uint8Array): string => Buffer.from(signature.subarray(-SIGNATURE_BYTES)).toString('latin1');

/** An activity by what it did, for an Undo that names its id only. */
export interface KnownActivity {
  readonly actor: string;
  readonly type: string;
  readonly object: string;
}

/** Ids of activities that have taken effect, or must not any more, for 8 days. Methods throw Unavailable. */
export class KnownActivities {
  readonly #tables: Pick<Tables, 'get' | 'write'>;
  readonly #cached: Cache<KnownActivity>;

  constructor(tables: Pick<Tables, 'get' | 'write'>, caches?: Caches) {
    this.#tables = tables;
    this.#cached = new Cache('known_activities', ACTIVITIES_MAX, caches);
  }

  async find(id: string): Promise<KnownActivity | undefined> {
    const key = uriKey(id);
    const cached = this.#cached.get(key);
    if (cached !== undefined) return cached;
    const stored = await this.#tables.get(activities, { id: key });
    if (stored !== undefined) this.#cached.set(key, stored);
    return stored;
  }

  /** Remembers an activity. Durable when it resolves. */
  async add(id: string, activity: KnownActivity): Promise<void> {
    const key = uriKey(id);
    await this.#tables.write([put(activities, { id: key }, activity)]);
    this.#cached.set(key, activity);
  }
}
