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
import type { Clock } from '../../actors/domain/time.js';
import type { NodeHeardOf, NodePacked } from '../../proto/gen/types.js';
import {
  type Bus,
  type BusCounts,
  checkPayload,
  isCommon,
  NotDelivered,
  PAYLOAD_BYTES_MAX,
  REQUESTS_IN_FLIGHT_MAX,
  type Served,
  type Subscription,
  servedBytes,
} from '../bus.js';
import { masked } from '../masked-url.js';
import { ReceivedNumbers } from '../received-numbers.js';
import type { TransportLog } from '../transport-log.js';
import { FAILED_HEADER, OpenRequests } from './open-requests.js';
import { Outbox, unpack } from './outbox.js';
import { GapWatch, Numbering } from './published.js';

export interface NatsBusOptions {
  /** `nats://host:4222`, or several, separated by commas. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Prefix of every subject, which separates clusters (and tests) that share a server. */
  readonly prefix: string;
  /** This node's name, as the server's operators see it. */
  readonly name: string;
  readonly log: TransportLog;
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  /** Timeout of the connection to a server, in milliseconds; tests use a short one. */
  readonly connectMsMax?: number;
}

/** Private fields of nats.js that we need. */
interface Transport {
  readonly socket?: Socket;
}

/**
 * Maximum number of requests that one node handles at a time; each waits some milliseconds for an append. Past it
 * requests are refused.
 */
export const HANDLERS_MAX = 4_096;
/** Log lines about malformed messages per span: anybody who reaches the NATS server can send any number of them. */
const GARBAGE_LINES_MAX = 1;
const GARBAGE_SPAN_MS = 60_000;
const CONNECT_MS_MAX = 5_000;
/** Errors that the server will repeat at the next attempt. */
const REFUSALS: readonly string[] = [ErrorCode.AuthorizationViolation, ErrorCode.AuthenticationExpired];
/** Short, because the server may be down for a second only; the jitter spreads the nodes' attempts. */
const RECONNECT_MS = 200;
const RECONNECT_JITTER_MS = 100;
/**
 * Interval of pings. A dead connection is detected after three of them, so that a request through it waits no longer
 * than one to a dead node. One answer in that time is enough, so a busy server passes.
 */
const PING_MS = 1_000;
const PINGS_UNANSWERED_MAX = 2;
/** Messages that arrive on a new connection before the gap is reported, for one round trip. A catch-up finds others. */
const HELD_MAX = 4_096;
/** The subject on which a node that was disconnected announces that others may lack its publications. */
const LOST_SUBJECT = 'lost';
/** The subject of the packed messages of all common topics. */
const COMMON_SUBJECT = 'topics';
/** The queue group of servers: one of several receives a request; while a shard moves there may briefly be two. */
const QUEUE = 'owner';

/** The bus over one NATS server or cluster (core NATS: in order per connection, delivered at most once). */
export class NatsBus implements Bus {
  private readonly numbering: Numbering;
  private readonly requests: OpenRequests;
  private readonly outbox: Outbox;
  private readonly inbox = createInbox();
  /** Handlers of the common topics on this node. */
  private readonly listeners = new Map<string, Set<(payload: Uint8Array) => void>>();
  /**
   * Numbers of the common topics. A publisher's first message must be number 1: caches must not miss what a node
   * published before its first received message.
   */
  private readonly numbers: ReceivedNumbers;
  private readonly gapHandlers: ((subject: string | undefined) => void)[] = [];
  /** The time of the loss of the connection on the monotonic clock; undefined while it is up. */
  private downSinceMs: number | undefined;
  private lastTry: Transport | undefined;
  /** True while publications of the time without a connection have not been caught up with. */
  private deaf = false;
  /** Deliveries of messages that arrive meanwhile. They come after the report: what was lost is earlier. */
  private readonly held: (() => void)[] = [];
  private reconnected: Promise<void> = Promise.resolve();
  private markReconnected: () => void = () => undefined;
  private handling = 0;
  private garbage = 0;
  private readonly garbageLines = new LogBound(GARBAGE_LINES_MAX, GARBAGE_SPAN_MS);
  private busy = 0;

  /** Connects. @throws Unavailable when no server answers; Misconfigured when it rejects the token or password */
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
        throw new Misconfigured(`NATS at ${address} rejects this node: ${message}; check NATS_TOKEN and NATS_URL`, {
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
    const { clock } = options;
    this.numbers = new ReceivedNumbers({ nowMs: this.nowMs, firstMax: 1 });
    this.requests = new OpenRequests(clock);
    this.outbox = new Outbox((pack) => this.sendPublished(COMMON_SUBJECT, pack), clock);
    const limit = connection.info?.max_payload ?? PAYLOAD_BYTES_MAX;
    if (limit < PAYLOAD_BYTES_MAX) options.log.warn({ limit }, 'the message size limit of the NATS server is too low');
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

  /** Serves a subject; waits until the server knows it, across lost connections. */
  async serve(subject: string, handler: (payload: Uint8Array) => Promise<Served>): Promise<Subscription> {
    const subscription = this.connection.subscribe(this.full(subject), {
      queue: QUEUE,
      callback: (error, message) => {
        if (error) this.options.log.error({ err: error, subject }, 'failed to serve a subject');
        else void this.handle(message, handler);
      },
    });
    await this.known();
    // Drains, because requests in flight would otherwise remain unanswered.
    return { close: () => (this.connection.isClosed() ? Promise.resolve() : subscription.drain()) };
  }

  publish(subject: string, payload: Uint8Array): void {
    checkPayload(payload);
    if (isCommon(subject)) this.outbox.pack(subject, payload);
    else this.sendPublished(subject, payload);
  }

  async subscribe(subject: string, handler: (payload: Uint8Array) => void): Promise<Subscription> {
    if (isCommon(subject)) return this.listenTo(subject, handler);
    const watch = new GapWatch(new ReceivedNumbers({ nowMs: this.nowMs }));
    const subscription = this.connection.subscribe(this.full(subject), {
      callback: (error, message) => {
        if (error) this.options.log.error({ err: error, subject }, 'failed to subscribe to a subject');
        else this.receive(subject, message, watch, asTheyAre, handler);
      },
    });
    await this.known();
    return this.ending(subscription);
  }

  onGap(handler: (subject: string | undefined) => void): void {
    this.gapHandlers.push(handler);
  }

  receivedUpTo(): readonly NodeHeardOf[] {
    return this.numbers.receivedUpTo();
  }

  follows(received: readonly NodeHeardOf[], lost: readonly NodeHeardOf[]): boolean {
    return this.numbers.follows(received, lost);
  }

  healthy(): boolean {
    return this.downSinceMs === undefined && !this.connection.isClosed();
  }

  downMs(): number {
    return this.downSinceMs === undefined ? 0 : this.nowMs() - this.downSinceMs;
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
      this.answerFailure(message, 'overloaded');
      return;
    }
    this.handling += 1;
    try {
      const answer = servedBytes(await handler(message.data));
      checkPayload(answer);
      this.outbox.answer(() => this.attempt(() => message.respond(answer)));
    } catch (error) {
      this.options.log.error({ err: error, subject: message.subject }, 'failed to handle a request');
      this.answerFailure(message, error instanceof Unavailable ? error.message : 'internal error');
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

  /** Receives a message. `subject`: undefined for all common topics. */
  private receive<T>(
    subject: string | undefined,
    message: Msg,
    watch: GapWatch,
    decode: (payload: Uint8Array) => T,
    handler: (decoded: T) => void,
  ): void {
    if (this.deaf) {
      this.held.push(() => this.receive(subject, message, watch, decode, handler));
      if (this.held.length > HELD_MAX) this.held.shift();
      return;
    }
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

  /** Catches errors of a handler, which may find a message malformed: nats.js receives nothing more after a throw. */
  private attemptToHear(subject: string | undefined, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.ignored(subject, error);
    }
  }

  private ignored(subject: string | undefined, error: unknown): void {
    this.garbage += 1;
    const more = this.garbageLines.admits(this.nowMs());
    if (more !== undefined) this.options.log.warn({ err: error, subject, ...more }, 'ignored a malformed message');
  }

  /** Adds a handler of a common topic: all common topics share one subscription. */
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
    // A message that is lost because the connection is down gets a number too: subscribers then see the gap.
    const message = this.numbering.wrap(subject, payload);
    if (!this.healthy()) return;
    const full = this.full(subject);
    if (subject === COMMON_SUBJECT) this.attempt(() => this.connection.publish(full, message));
    else this.sendLater(() => this.connection.publish(full, message));
  }

  private sendLater(action: () => void): void {
    this.outbox.send(() => this.attempt(action));
  }

  /**
   * Runs `send` and logs its errors: NATS rejects messages above its limit, and a setting of the server must not end
   * the node.
   */
  private attempt(send: () => void): void {
    if (this.connection.isClosed()) return;
    try {
      send();
    } catch (error) {
      this.options.log.error({ err: error }, 'failed to send a message');
    }
  }

  private readonly nowMs = (): number => this.options.clock.monotonicMs();

  private async listen(): Promise<void> {
    // A lost message leaves no gap on a subject where its node never published before, so the node announces its
    // losses.
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
        if (error) this.options.log.error({ err: error }, 'failed to subscribe to the common topics');
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
        this.downSinceMs = this.nowMs();
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
    this.downSinceMs ??= this.nowMs();
  }

  /**
   * Closes the previous connection attempt: nats.js leaves it open when the server accepts it and then does not answer
   * in time.
   */
  private dropLastTry(): void {
    this.lastTry?.socket?.destroy();
    this.lastTry = this.transport;
  }

  /**
   * The transport of the connection, or of the attempt to reconnect. nats.js waits until pending writes are flushed
   * before it reconnects; on a dead connection with a full buffer that lasts until TCP gives up after a quarter of an
   * hour (node_transport.js, _closed).
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
      for (const receive of this.held.splice(0)) receive();
      this.connection.publish(this.full(LOST_SUBJECT), new TextEncoder().encode(this.inbox));
      this.options.log.info({}, 'reconnected to NATS');
    } catch (error) {
      this.options.log.warn({ err: error }, 'lost the new connection to NATS');
    }
  }

  /** Resolves once the server has processed everything that was sent before. */
  private async known(): Promise<void> {
    for (;;) {
      await this.reconnected;
      if (this.connection.isClosed()) throw new Unavailable('the bus is closed');
      try {
        await this.connection.flush();
        return;
      } catch (error) {
        if (this.connection.isClosed()) throw new Unavailable('the bus is closed', { cause: error });
        // This code may see the break before the connection's status reports it.
        await new Promise<void>((resolve) => void this.options.clock.after(RECONNECT_MS, resolve));
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
