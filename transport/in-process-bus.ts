import { Unavailable } from '../actors/domain/problem.js';
import type { Clock } from '../actors/domain/time.js';
import {
  type Bus,
  checkPayload,
  NotDelivered,
  REQUESTS_IN_FLIGHT_MAX,
  type Served,
  type Subscription,
  servedBytes,
} from './bus.js';

interface Server {
  readonly node: string;
  readonly handler: (payload: Uint8Array) => Promise<Served>;
}
interface Listener {
  readonly node: string;
  readonly handler: (payload: Uint8Array) => void;
}

/**
 * Connects the buses of one process. A server on its own has one bus; tests connect several nodes to one hub. Nothing
 * is copied or encoded: handlers must not change the bytes they receive.
 */
export class InProcessHub {
  private readonly servers = new Map<string, Server[]>();
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(private readonly clock: Clock) {}

  /** Returns the bus of one node; closing it ends only that node's servers and subscriptions. */
  bus(node: string): Bus {
    return new InProcessBus(node, this.clock, this.servers, this.listeners);
  }
}

class InProcessBus implements Bus {
  private readonly pending = new Set<(error: Unavailable) => void>();
  private open = true;

  constructor(
    private readonly node: string,
    private readonly clock: Clock,
    private readonly servers: Map<string, Server[]>,
    private readonly listeners: Map<string, Set<Listener>>,
  ) {}

  async request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    checkPayload(payload);
    if (!this.open) throw new NotDelivered('the bus is closed');
    if (this.pending.size >= REQUESTS_IN_FLIGHT_MAX) throw new Unavailable('too many requests in flight');
    // The newest server wins while a former owner has not closed its own yet.
    const server = this.servers.get(subject)?.at(-1);
    if (server === undefined) throw new NotDelivered(`no node serves ${subject}`);
    return new Promise((resolve, reject) => {
      const fail = (error: Unavailable) => {
        settle();
        reject(error);
      };
      const timer = this.clock.after(timeoutMs, () => fail(new Unavailable(`no answer on ${subject}`)));
      const settle = () => {
        timer.cancel();
        this.pending.delete(fail);
      };
      this.pending.add(fail);
      // Not on the caller's stack, because a handler may send a request back.
      Promise.resolve()
        .then(() => server.handler(payload))
        .then((served) => {
          const answer = servedBytes(served);
          checkPayload(answer);
          settle();
          resolve(answer);
        })
        .catch((cause: unknown) => fail(new Unavailable(`the server of ${subject} failed`, { cause })));
    });
  }

  async serve(subject: string, handler: (payload: Uint8Array) => Promise<Served>): Promise<Subscription> {
    if (!this.open) throw new Unavailable('the bus is closed');
    const server = { node: this.node, handler };
    this.servers.set(subject, [...(this.servers.get(subject) ?? []), server]);
    return { close: async () => this.forgetServers(subject, (entry) => entry === server) };
  }

  publish(subject: string, payload: Uint8Array): void {
    checkPayload(payload);
    if (!this.open) return;
    for (const listener of this.listeners.get(subject) ?? []) {
      queueMicrotask(() => {
        if (this.listeners.get(subject)?.has(listener)) listener.handler(payload);
      });
    }
  }

  async subscribe(subject: string, handler: (payload: Uint8Array) => void): Promise<Subscription> {
    if (!this.open) throw new Unavailable('the bus is closed');
    const listener = { node: this.node, handler };
    const all = this.listeners.get(subject) ?? new Set();
    this.listeners.set(subject, all.add(listener));
    return { close: async () => this.forgetListeners(subject, (entry) => entry === listener) };
  }

  /** Messages are never lost within a process. */
  onGap(): void {}

  receivedUpTo(): readonly [] {
    return [];
  }

  follows(): boolean {
    return true;
  }

  healthy(): boolean {
    return this.open;
  }

  downMs(): number {
    return 0;
  }

  hears(): boolean {
    return this.open;
  }

  async close(): Promise<void> {
    this.open = false;
    for (const subject of [...this.servers.keys()]) this.forgetServers(subject, (entry) => entry.node === this.node);
    for (const subject of [...this.listeners.keys()]) this.forgetListeners(subject, ({ node }) => node === this.node);
    for (const fail of [...this.pending]) fail(new Unavailable('the bus is closed'));
  }

  private forgetServers(subject: string, gone: (server: Server) => boolean): void {
    const left = (this.servers.get(subject) ?? []).filter((server) => !gone(server));
    if (left.length === 0) this.servers.delete(subject);
    else this.servers.set(subject, left);
  }

  private forgetListeners(subject: string, gone: (listener: Listener) => boolean): void {
    const all = this.listeners.get(subject);
    if (all === undefined) return;
    for (const listener of all) if (gone(listener)) all.delete(listener);
    if (all.size === 0) this.listeners.delete(subject);
  }
}
