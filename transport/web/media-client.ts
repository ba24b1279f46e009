import { type GateBounds, HostGate } from '../federation/host-gate.js';
import { type Answer, type ConnectionOptions, GuardedConnections } from './guarded-connections.js';

/** Largest file of another server that is fetched: the films that most servers accept. Memory holds it for a while. */
export const REMOTE_BYTES_MAX = 40 * 1_048_576;
/** Longest wait for other fetches, and time of a fetch with its redirects: viewers wait for both. */
const WAIT_MS = 10_000;
const FETCH_MS = 20_000;
const REDIRECTS_MAX = 3;
/** Fetches at a time: a page of statuses has some 40 pictures, mostly of few hosts. */
const FETCHES: GateBounds = { hostMax: 4, max: 32, hostWaitingMax: 64, waitingMax: 256 };
/** Bytes of all files being received. The copy of each doubles it for a moment. */
const ROOM_BYTES = 96 * 1_048_576;

/** The reason for having no file. `busy`: too many are being fetched; `missing`: there is none that is shown. */
export type NoFile = 'busy' | 'missing';

export interface MediaClientOptions extends Pick<ConnectionOptions, 'guard' | 'userAgent' | 'resolve'> {
  readonly isSuspended: (host: string) => boolean;
  /** Default: WAIT_MS. */
  readonly waitMs?: number;
  /** Default: FETCH_MS. */
  readonly timeoutMs?: number;
  /** Default: REMOTE_BYTES_MAX. */
  readonly bytesMax?: number;
}

/** Fetches pictures, films and sounds of other servers. Every address, also of a redirect, is checked by the guard. */
export class MediaClient {
  readonly #options: MediaClientOptions;
  readonly #connections: GuardedConnections;
  readonly #gate = new HostGate(FETCHES);
  readonly #bytesMax: number;
  #room = ROOM_BYTES;

  constructor(options: MediaClientOptions) {
    this.#options = options;
    this.#bytesMax = options.bytesMax ?? REMOTE_BYTES_MAX;
    const { guard, userAgent, resolve, timeoutMs = FETCH_MS } = options;
    this.#connections = new GuardedConnections({
      ...{ guard, userAgent, resolve, connectionsMax: FETCHES.hostMax, timeoutMs },
    });
  }

  /** Returns the bytes of a file, whatever they are. Never throws. */
  async fetch(address: string): Promise<Uint8Array | NoFile> {
    const { waitMs = WAIT_MS, timeoutMs = FETCH_MS } = this.#options;
    let waiting = AbortSignal.timeout(waitMs);
    let url = this.#permitted(address);
    for (let hop = 0; url !== undefined && hop <= REDIRECTS_MAX; hop++) {
      const leave = await this.#gate.enter(url.host, waiting);
      if (leave === undefined) return 'busy';
      // The wait for others takes nothing from the time of the fetch, whose failure is remembered.
      const signal: AbortSignal = hop === 0 ? AbortSignal.timeout(timeoutMs) : waiting;
      waiting = signal;
      const found = await this.#ask(url, signal).finally(leave);
      if (typeof found !== 'object' || found instanceof Uint8Array) return found;
      url = this.#permitted(found.location, url);
    }
    return 'missing';
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #permitted(text: string, base?: URL): URL | undefined {
    if (!URL.canParse(text, base?.href)) return undefined;
    const url = new URL(text, base);
    url.hash = '';
    return this.#options.guard.maySend(url) && !this.#options.isSuspended(url.host) ? url : undefined;
  }

  async #ask(url: URL, signal: AbortSignal): Promise<Uint8Array | NoFile | { readonly location: string }> {
    let held = 0;
    let isBusy = false;
    const reads = (head: Omit<Answer, 'body'>): boolean => {
      const size = bodySize(head, this.#bytesMax);
      if (size === undefined) return false;
      isBusy = size > this.#room;
      if (isBusy) return false;
      held = size;
      this.#room -= size;
      return true;
    };
    try {
      const headers = { accept: 'image/*, video/*, audio/*', 'accept-encoding': 'identity' };
      const answer = await this.#connections.send({
        ...{ method: 'GET', url, headers, signal, bytesMax: this.#bytesMax, skippedBytesMax: 0, reads },
      });
      if (typeof answer === 'string') return 'missing';
      if (isBusy) return 'busy';
      const { location } = answer.headers;
      if (answer.status >= 300 && answer.status < 400 && location !== undefined) return { location };
      return answer.body instanceof Uint8Array ? answer.body : 'missing';
    } finally {
      this.#room += held;
    }
  }
}

/** Types of files whose format the server does not know. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** Returns the largest size that a body can have; undefined if it is not read. The bytes decide about the format. */
function bodySize({ status, headers }: Omit<Answer, 'body'>, bytesMax: number): number | undefined {
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (status !== 200 || encoding !== 'identity') return undefined;
  if (!/^(image|video|audio)\//.test(type.trim()) && !UNKNOWN_TYPES.has(type.trim())) return undefined;
  const told = headers['content-length'];
  const size = told !== undefined && /^\d{1,15}$/.test(told) ? Number(told) : bytesMax;
  return size > bytesMax ? undefined : size;
}
