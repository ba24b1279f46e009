import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';
import { makeId } from '../../../actors/domain/ids.js';
import { EventStream } from './event-stream.js';
import { targetAt } from './sockets.js';

/** Time for which a reader stays at one node. */
const STAY_MS = 700;
/** Pause after a node that cannot be reached, and interval of looks at the end of a stream. */
const PAUSE_MS = 50;
/** Timeout of a handshake: a node may be paused or dead. */
const OPEN_MS_MAX = 5_000;

export type Transport = 'WebSocket' | 'SSE';

/** One visit at a node. */
interface Visit {
  readonly ended: boolean;
  /** Ends the visit; returns the ids of received statuses, and the position to resume at. */
  leave(): Promise<{ readonly ids: readonly string[]; readonly position: string | undefined }>;
  ids(): readonly string[];
}

/** A reader of a home stream that moves from node to node, and resumes at each where it left the one before. */
export class RoamingStream {
  /** Number of resumed streams. */
  resumed = 0;
  readonly #ids: string[] = [];
  #position = makeId(Date.now(), 0, 0);
  #visit: Visit | undefined;
  #stopping = false;
  readonly #running: Promise<void>;

  /** @param urls the nodes, in the order of the visits; read before each */
  constructor(
    readonly transport: Transport,
    private readonly urls: () => readonly string[],
    private readonly token: string,
    first: number,
  ) {
    this.#running = this.#roam(first);
  }

  /** Returns the ids of received statuses, in order of arrival. */
  updates(): string[] {
    return [...this.#ids, ...(this.#visit?.ids() ?? [])];
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  async #roam(first: number): Promise<void> {
    for (let turn = first; !this.#stopping; turn++) {
      const urls = this.urls();
      const visit = await this.#enter(urls[turn % urls.length] ?? '').catch(() => undefined);
      if (visit === undefined) {
        await sleep(PAUSE_MS);
        continue;
      }
      this.#visit = visit;
      this.resumed += 1;
      const untilMs = performance.now() + STAY_MS;
      while (!visit.ended && !this.#stopping && performance.now() < untilMs) await sleep(PAUSE_MS);
      const { ids, position } = await visit.leave();
      this.#visit = undefined;
      this.#ids.push(...ids);
      this.#position = position ?? this.#position;
    }
  }

  async #enter(url: string): Promise<Visit> {
    const [token, since] = [this.token, this.#position];
    if (this.transport === 'WebSocket') return socketAt(url, token, since);
    const stream = await EventStream.open(targetAt(url), 'user', token, since);
    return {
      get ended() {
        return stream.ended;
      },
      ids: () => stream.updates(),
      leave: async () => {
        await stream.close();
        return { ids: stream.updates(), position: stream.position };
      },
    };
  }
}

async function socketAt(url: string, token: string, since: string): Promise<Visit> {
  const address = `${url.replace('http', 'ws')}/api/v1/streaming?stream=user&access_token=${token}&since=${since}`;
  const socket = new WebSocket(address);
  const ids: string[] = [];
  let position: string | undefined;
  let left = false;
  socket.addEventListener('message', ({ data }) => {
    const { event, payload, event_id: at } = JSON.parse(String(data)) as Record<string, string>;
    if (left) return;
    if (event === 'update') ids.push((JSON.parse(payload ?? '') as { id: string }).id);
    position = at ?? position;
  });
  const opened = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), OPEN_MS_MAX);
    const settle = (isOpen: boolean) => () => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    socket.addEventListener('open', settle(true));
    socket.addEventListener('error', settle(false));
  });
  const close = () => {
    left = true;
    socket.close();
  };
  if (!opened) {
    close();
    throw new Error(`no stream at ${url}`);
  }
  return {
    get ended() {
      return socket.readyState !== WebSocket.OPEN;
    },
    ids: () => ids,
    leave: async () => {
      close();
      return { ids, position };
    },
  };
}
