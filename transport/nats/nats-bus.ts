import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  connect,
  createInbox,
  DebugEvents,
  ErrorCode,
  Events,
  headers,
  type Msg,
  type NatsConnection,
  type NatsError,
} from 'nats';
import { LogBound } from '../../actors/domain/log-bound.js';
import { Misconfigured, Unavailable } from '../../actors/domain/problem.js';
import type { NodeHeardOf, NodePacked } from '../../proto/gen/types.js';
import {
  type Bus,
  checkPayload,
  isCommon,
  NotDelivered,
  PAYLOAD_BYTES_MAX,
  REQUESTS_IN_FLIGHT_MAX,
  type Served,
  type Subscription,
  servedBytes,
} from '../bus.js';
import { HeardNumbers } from '../heard-numbers.js';
import { masked } from '../masked-url.js';
import type { TransportLog } from '../transport-log.js';
import { FAILED_HEADER, OpenRequests } from './open-requests.js';
import { Outbox, unpack } from './outbox.js';
import { GapWatch, Numbering } from './published.js';

export interface NatsBusOptions {
  /** `nats://host:4222`, or several with commas between. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Goes before every subject, so that clusters (and tests) sharing a server do not hear one another. */
  readonly prefix: string;
  /** This node's name, as the server's operators see it. */
  readonly name: string;
  readonly log: TransportLog;
  /** Patience with a server that is connected to; tests make it small. */
  readonly connectMsMax?: number;
}

/** What nats.js tells nobody. */
interface Transport {
  readonly socket?: Socket;
}

/** What was refused since the start, for the metrics. */
export interface BusCounts {
  /** Bytes that are no message of ours. */
  readonly garbage: number;
  /** Requests turned away because HANDLERS_MAX were at work. */
  readonly busy: number;
}

/** Requests that one node works on at a time; each waits for an append of some milliseconds. More are turned away. */
export const HANDLERS_MAX = 4_096;
/** Anybody who reaches the NATS server can send any number of bytes that are no message: a line a minute says so. */
const GARBAGE_LINES_MAX = 1;
const GARBAGE_SPAN_MS = 60_000;
const CONNECT_MS_MAX = 5_000;
/** The server answered and will answer the same next time. */
const REFUSALS: readonly string[] = [ErrorCode.AuthorizationViolation, ErrorCode.AuthenticationExpired];
/** The server may be away for a second only: try often, a little apart from the other nodes. */
const RECONNECT_MS = 200;
const RECONNECT_JITTER_MS = 100;
/**
 * A connection that is silently dead is noticed after three of these: who asks through it waits no longer than for a node
 * that died. One answer in that time is enough, also from a server that is busy.
 */
const PING_MS = 1_000;
const PINGS_UNANSWERED_MAX = 2;
/** A node that was cut off says here that others may lack what it published. */
const LOST_SUBJECT = 'lost';
/** Carries the messages of all common topics, several as one. */
const COMMON_SUBJECT = 'topics';
/** One of several servers of a subject gets a request; while a shard moves there may be two for a moment. */
const QUEUE = 'owner';

/** The bus over one NATS server or cluster (core NATS: per connection in order, at most once). */
export class NatsBus implements Bus {
  private readonly numbering: Numbering;
  private readonly requests = new OpenRequests();
  private readonly outbox: Outbox;
  private readonly inbox = createInbox();
  /** Who hears the common topics here. */
  private readonly listeners = new Map<string, Set<(payload: Uint8Array) => void>>();
  /** Of the common topics. What is kept by them must not lack what a node said before it was heard first. */
  private readonly numbers = new HeardNumbers({ firstMax: 1 });
  private readonly gapHandlers: ((subject: string | undefined) => void)[] = [];
  /** Since when the connection is down, by `performance.now()`; undefined while it is not. */
  private downSinceMs: number | undefined;
  private lastTry: Transport | undefined;
  /** What was published while the connection was down has not been caught up with. */
  private deaf = false;
  private reconnected: Promise<void> = Promise.resolve();
  private markReconnected: () => void = () => undefined;
  private handling = 0;
  private garbage = 0;
  private readonly garbageLines = new LogBound(GARBAGE_LINES_MAX, GARBAGE_SPAN_MS);
  private busy = 0;

  /** @throws Unavailable when no server answers; Misconfigured when it refuses the token or password */
  static async connect(options: NatsBusOptions): Promise<NatsBus> {
    try {
      const connection = await connect({
        servers: options.url.split(','),
        ...(options.token !== undefined && { token: options.token }),
        name: options.name,
        timeout: options.connectMsMax ?? CONNECT_MS_MAX,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RECONNECT_MS,
        reconnectJitter: RECONNECT_JITTER_MS,
        pingInterval: PING_MS,
        maxPingOut: PINGS_UNANSWERED_MAX,
        ignoreAuthErrorAbort: true,
      });
      const bus = new NatsBus(connection, options);
      await bus.listen();
      return bus;
    } catch (cause) {
      const { message, code } = cause as Partial<NatsError>;
      const address = masked(options.url);
      if (REFUSALS.includes(code ?? '')) {
        throw new Misconfigured(`NATS at ${address} refuses this node: ${message}; check NATS_TOKEN and NATS_URL`, {
          cause,
        });
      }
      throw new Unavailable(`no NATS at ${address}: ${message}`, { cause });
    }
  }

  private constructor(
    private readonly connection: NatsConnection,
    private readonly options: NatsBusOptions,
  ) {
    this.numbering = new Numbering(`${options.name}#${randomBytes(8).toString('hex')}`);
    this.outbox = new Outbox((pack) => this.sendPublished(COMMON_SUBJECT, pack));
    const limit = connection.info?.max_payload ?? PAYLOAD_BYTES_MAX;
    if (limit < PAYLOAD_BYTES_MAX)
      options.log.warn({ limit }, 'the NATS server takes smaller messages than ours may be');
    void this.followConnection();
  }

  async request(
    subject: string,
    payload: Uint8Array,
    timeoutMs: number,
    arrived?: (answer: Uint8Array) => void,
  ): Promise<Uint8Array> {
    checkPayload(payload);
    if (!this.healthy()) throw new NotDelivered('NATS is down');
    if (this.requests.size >= REQUESTS_IN_FLIGHT_MAX) throw new Unavailable('too many requests in flight');
    return this.requests.begin(subject, timeoutMs, arrived, (number) => {
      this.outbox.send(() => {
        if (!this.healthy()) return;
        try {
          this.connection.publish(this.full(subject), payload, { reply: `${this.inbox}.${number}` });
        } catch (cause) {
          this.requests.fail(number, new Unavailable(`NATS could not deliver to ${subject}`, { cause }));
        }
      });
    });
  }

  /** Waits, over lost connections, until the server knows of it. */
  async serve(subject: string, handler: (payload: Uint8Array) => Promise<Served>): Promise<Subscription> {
    const subscription = this.connection.subscribe(this.full(subject), {
      queue: QUEUE,
      callback: (error, message) => {
        if (error) this.options.log.error({ err: error, subject }, 'NATS refuses to let us serve');
        else void this.handle(message, handler);
      },
    });
    await this.known();
    // Requests that are on their way to us are answered before it ends: nobody else will.
    return { close: () => (this.connection.isClosed() ? Promise.resolve() : subscription.drain()) };
  }

  publish(subject: string, payload: Uint8Array): void {
    checkPayload(payload);
    if (isCommon(subject)) this.outbox.pack(subject, payload);
    else this.sendPublished(subject, payload);
  }

  async subscribe(subject: string, handler: (payload: Uint8Array) => void): Promise<Subscription> {
    if (isCommon(subject)) return this.listenTo(subject, handler);
    const watch = new GapWatch();
    const subscription = this.connection.subscribe(this.full(subject), {
      callback: (error, message) => {
        if (error) this.options.log.error({ err: error, subject }, 'NATS refuses to let us subscribe');
        else this.receive(subject, message, watch, asTheyAre, handler);
      },
    });
    await this.known();
    return this.ending(subscription);
  }

  onGap(handler: (subject: string | undefined) => void): void {
    this.gapHandlers.push(handler);
  }

  heard(): readonly NodeHeardOf[] {
    return this.numbers.heard();
  }

  follows(heard: readonly NodeHeardOf[], lost: readonly NodeHeardOf[]): boolean {
    return this.numbers.follows(heard, lost);
  }

  healthy(): boolean {
    return this.downSinceMs === undefined && !this.connection.isClosed();
  }

  downMs(): number {
    return this.downSinceMs === undefined ? 0 : performance.now() - this.downSinceMs;
  }

  hears(): boolean {
    return !this.deaf && this.healthy();
  }

  counts(): BusCounts {
    return { garbage: this.garbage, busy: this.busy };
  }

  async close(): Promise<void> {
    if (!this.connection.isClosed()) {
      this.outbox.flush();
      await this.connection.close();
    }
    this.requests.failAll('the bus is closed');
    this.markReconnected();
  }

  private async handle(message: Msg, handler: (payload: Uint8Array) => Promise<Served>): Promise<void> {
    if (this.handling >= HANDLERS_MAX) {
      this.busy += 1;
      this.answerFailure(message, 'too much to do');
      return;
    }
    this.handling += 1;
    try {
      const answer = servedBytes(await handler(message.data));
      checkPayload(answer);
      this.outbox.answer(() => this.attempt(() => message.respond(answer)));
    } catch (error) {
      this.options.log.error({ err: error, subject: message.subject }, 'a request failed');
      this.answerFailure(message, error instanceof Unavailable ? error.message : 'it failed');
    } finally {
      this.handling -= 1;
    }
  }

  private answerFailure(message: Msg, why: string): void {
    if (this.connection.isClosed()) return;
    const reason = headers();
    reason.set(FAILED_HEADER, why.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200));
    this.sendLater(() => message.respond(new Uint8Array(), { headers: reason }));
  }

  /** `subject`: undefined for all common topics. */
  private receive<T>(
    subject: string | undefined,
    message: Msg,
    watch: GapWatch,
    decode: (payload: Uint8Array) => T,
    handler: (decoded: T) => void,
  ): void {
    let gap: boolean;
    let decoded: T;
    try {
      const unwrapped = watch.unwrap(message.data);
      gap = unwrapped.gap;
      decoded = decode(unwrapped.payload);
    } catch (error) {
      this.ignored(subject, error);
      return;
    }
    if (gap) this.reportGap(subject);
    this.attemptToHear(subject, () => handler(decoded));
  }

  /** A handler may find that its bytes are no message. nats.js hears nothing more once it throws. */
  private attemptToHear(subject: string | undefined, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.ignored(subject, error);
    }
  }

  private ignored(subject: string | undefined, error: unknown): void {
    this.garbage += 1;
    const more = this.garbageLines.admits(performance.now());
    if (more !== undefined)
      this.options.log.warn({ err: error, subject, ...more }, 'ignored bytes that are no message');
  }

  /** A common topic: one subscription is for all of them. */
  private listenTo(topic: string, handler: (payload: Uint8Array) => void): Subscription {
    const all = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, all.add(handler));
    return {
      close: async () => {
        all.delete(handler);
        if (all.size === 0 && this.listeners.get(topic) === all) this.listeners.delete(topic);
      },
    };
  }

  private deliver(entries: readonly NodePacked[]): void {
    for (const { subject, payload } of entries) {
      for (const handler of this.listeners.get(subject) ?? []) this.attemptToHear(subject, () => handler(payload));
    }
  }

  private sendPublished(subject: string, payload: Uint8Array): void {
    // Counted although it is lost while the connection is down: subscribers see the gap.
    const message = this.numbering.wrap(subject, payload);
    if (!this.healthy()) return;
    const full = this.full(subject);
    if (subject === COMMON_SUBJECT) this.attempt(() => this.connection.publish(full, message));
    else this.sendLater(() => this.connection.publish(full, message));
  }

  private sendLater(action: () => void): void {
    this.outbox.send(() => this.attempt(action));
  }

  /** NATS refuses what is too large for it: a server's setting must not end the node. */
  private attempt(send: () => void): void {
    if (this.connection.isClosed()) return;
    try {
      send();
    } catch (error) {
      this.options.log.error({ err: error }, 'NATS refuses a message');
    }
  }

  private async listen(): Promise<void> {
    // Another node's lost messages leave no gap where it never published before, so it says so itself.
    this.connection.subscribe(this.full(LOST_SUBJECT), {
      callback: (_error, message) => {
        if (message.string() !== this.inbox) this.reportGap(undefined);
      },
    });
    this.connection.subscribe(`${this.inbox}.*`, {
      callback: (_error, message) => this.requests.answered(message.subject.slice(this.inbox.length + 1), message),
    });
    const watch = new GapWatch(this.numbers);
    this.connection.subscribe(this.full(COMMON_SUBJECT), {
      callback: (error, message) => {
        if (error) this.options.log.error({ err: error }, 'NATS refuses to let us subscribe');
        else this.receive(undefined, message, watch, unpack, (entries) => this.deliver(entries));
      },
    });
    await this.connection.flush();
  }

  private async followConnection(): Promise<void> {
    const { log } = this.options;
    for await (const { type } of this.connection.status()) {
      const isStale = type === DebugEvents.StaleConnection;
      if ((isStale || type === Events.Disconnect) && this.downSinceMs === undefined) {
        this.downSinceMs = performance.now();
        this.deaf = true;
        this.reconnected = new Promise((resolve) => {
          this.markReconnected = resolve;
        });
        log.warn({ isStale }, 'lost the connection to NATS');
        this.requests.failAll('the connection to NATS broke');
      }
      if (isStale) this.transport?.socket?.destroy();
      if (type === DebugEvents.Reconnecting) this.dropLastTry();
      if (type === Events.Reconnect) await this.afterReconnection();
    }
    this.downSinceMs ??= performance.now();
  }

  /** What was accepted by a server that then said nothing in time is left open by nats.js. */
  private dropLastTry(): void {
    this.lastTry?.socket?.destroy();
    this.lastTry = this.transport;
  }

  /**
   * Of the connection, or of the try to have one anew. nats.js waits until the line has taken what was written before it
   * connects anew; a dead one that is full never takes anything (node_transport.js, _closed), until TCP gives up after a
   * quarter of an hour.
   */
  private get transport(): Transport | undefined {
    return (this.connection as { readonly protocol?: { readonly transport?: Transport } }).protocol?.transport;
  }

  private async afterReconnection(): Promise<void> {
    this.downSinceMs = undefined;
    this.markReconnected();
    try {
      // Subscriptions are renewed by now; once the server knows them, a catch-up misses nothing.
      await this.connection.flush();
      this.reportGap(undefined);
      this.deaf = false;
      this.connection.publish(this.full(LOST_SUBJECT), new TextEncoder().encode(this.inbox));
      this.options.log.info({}, 'connected to NATS again');
    } catch (error) {
      this.options.log.warn({ err: error }, 'the new connection to NATS broke at once');
    }
  }

  /** Resolves once the server has taken in all that was sent before. */
  private async known(): Promise<void> {
    for (;;) {
      await this.reconnected;
      if (this.connection.isClosed()) throw new Unavailable('the bus is closed');
      try {
        await this.connection.flush();
        return;
      } catch (error) {
        if (this.connection.isClosed()) throw new Unavailable('the bus is closed', { cause: error });
        // The break may be known here before the status says so.
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
      }
    }
  }

  private reportGap(subject: string | undefined): void {
    for (const handler of this.gapHandlers) handler(subject);
  }

  private ending(subscription: { unsubscribe(): void }): Subscription {
    return {
      close: async () => {
        if (!this.connection.isClosed()) subscription.unsubscribe();
      },
    };
  }

  private full(subject: string): string {
    return `${this.options.prefix}.${subject}`;
  }
}

const asTheyAre = (payload: Uint8Array): Uint8Array => payload;
