import { compareIds, idMs, makeId } from '../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import type { Timer } from '../../actors/domain/time.js';
import type { Publication } from '../../actors/timelines/publications.js';
import { codec } from '../../proto/codec.js';
import type { NodeStatusTopic, StoreStatusRecord } from '../../proto/gen/types.js';
import { STATUSES_TOPIC } from '../../transport/bus.js';
import { AnnouncementFeed } from './announcements/announcement-feed.js';
import { type CloseReason, Connection, type StreamSocket, StreamSubscription } from './connection.js';
import { Feed } from './feed.js';
import type { HubOptions, HubParts } from './hub-parts.js';
import type { Since } from './position.js';
import { PublishedClock } from './published-clock.js';
import { statusEvent, untilAvailable } from './renderer.js';
import { StreamEvent } from './stream-event.js';
import { ofNamed, type StreamKind, type StreamNames } from './stream-kinds.js';
import { Viewer } from './viewer.js';

/** Time span that a stream catches up or resumes. A client that was away for longer must reload its timelines. */
const CATCH_UP_MS = 3_600_000;
/**
 * Largest lead of a position over this node's clock. No node's clock is further ahead, so a later position is not
 * genuine.
 */
const POSITION_AHEAD_MS = 60_000;
/**
 * Time before a position from which edits and deletions are sent again: they may have been published after the stream
 * ended.
 */
const CHANGES_LATE_MS = 30_000;
/**
 * Delays of further catch-ups after an outage of the bus: other nodes may reconnect later, and nobody received what
 * they published in between.
 */
const CATCH_UP_AGAIN_MS = [2_000, 10_000] as const;
/** Statuses being rendered. Further ones are sent by a catch-up. */
const RENDERING_MAX = 1_000;

/**
 * Outage of the bus after which streams end (ADR 21), so that their clients go to a node that is connected, or poll. A
 * restarted server is back before that.
 */
const DEAF_MS_MAX = 5_000;

const statusTopicCodec = codec('murmuration.node.StatusTopic');

/** Streams of one node. Subscribes to the topics that its viewers need, and decides for each event who sees it. */
export class Hub {
  readonly #parts: HubParts;
  readonly #published: PublishedClock;
  readonly #viewers = new Map<string, Viewer>();
  readonly #timers = new Set<Timer>();
  #statuses: Feed | undefined;
  #announcements: AnnouncementFeed | undefined;
  /** Chain that sends events in the order of arrival, however long each takes to render. */
  #order: Promise<void> = Promise.resolve();
  #rendering = 0;
  #connections = 0;
  #closed = false;
  #recheck: (connection: Connection) => Promise<boolean> = async () => true;

  constructor(options: HubOptions) {
    const { idClock } = options.services;
    this.#published = new PublishedClock(idClock);
    const oldestId = () => makeId(Math.max(0, idClock.nowMs() - CATCH_UP_MS), 0, 0);
    this.#parts = { ...options, published: this.#published, oldestId };
    options.bus.onGap((subject) => this.#gap(subject));
  }

  /** Sets the check of a connection's token. `valid` resolves with true if the token still allows it. */
  checkTokensWith(valid: (connection: Connection) => Promise<boolean>): void {
    this.#recheck = valid;
  }

  connectionsOf(viewerId: string): number {
    return this.#viewers.get(viewerId)?.connections.size ?? 0;
  }

  /** True if the bus has been unreachable for so long that no stream should be open here. */
  get deaf(): boolean {
    return this.#parts.bus.downMs() > DEAF_MS_MAX;
  }

  get connections(): number {
    return this.#connections;
  }

  connect(
    viewerId: string,
    tokenHash: string,
    scopes: readonly string[],
    socket: StreamSocket,
    address: string,
  ): Connection {
    const connection = new Connection(viewerId, tokenHash, scopes, socket, address);
    const present = this.#viewers.get(viewerId);
    const viewer = present ?? new Viewer(viewerId, this.#parts, (whose, hash) => this.#revoked(whose, hash));
    viewer.connections.add(connection);
    this.#connections++;
    if (present === undefined) {
      this.#viewers.set(viewerId, viewer);
      viewer.start();
    }
    // A token may have been revoked during admission, before this connection received revocations.
    viewer.feed.ready.then(() => this.#check(connection)).catch((err) => this.#unchecked(err));
    return connection;
  }

  /** Removes a connection, and unsubscribes from topics that no viewer needs. */
  disconnect(connection: Connection): void {
    connection.open = false;
    connection.subscriptions.clear();
    const viewer = this.#viewers.get(connection.viewer);
    if (viewer?.connections.delete(connection) === true) {
      this.#connections--;
      if (viewer.connections.size === 0) {
        this.#viewers.delete(connection.viewer);
        this.#giveUp(viewer.feed);
      }
    }
    this.#followStatuses();
    this.#followAnnouncements();
  }

  /**
   * Resolves the names of a list or hashtags to a stream. @throws Unavailable when the viewer's actor cannot be reached
   */
  async chosen(viewerId: string, kind: StreamKind, names: StreamNames): Promise<StreamKind | Problem> {
    const own = ofNamed(kind, names);
    if (isProblem(own) || own.list === undefined) return own;
    const found = await this.#parts.services.askAccount(viewerId, 'list', { id: own.list });
    return isProblem(found) ? found : own;
  }

  /**
   * Adds a stream, from now on or from `since` on. Events during the subscription to topics are read from the store.
   * Resolves when live events arrive, or the connection is closed. A client whose `since` is out of reach gets `reset`
   * first.
   */
  async subscribe(connection: Connection, kind: StreamKind, since?: Since): Promise<void> {
    const viewer = this.#viewers.get(connection.viewer);
    if (!connection.open || viewer === undefined || connection.subscriptions.has(kind.name)) return;
    const { idClock } = this.#parts.services;
    const now = makeId(idClock.nowMs(), 0, 0);
    const isLost = since !== undefined && !this.#isInReach(since);
    const from = since === undefined || isLost ? ({ floor: now, sent: [], isNew: true } as const) : since;
    const subscription = new StreamSubscription(kind, connection.scopes, connection.socket, from, viewer.clock);
    if (since === from) subscription.missedChangesMs = idMs(from.floor) - CHANGES_LATE_MS;
    if (isLost) subscription.resetTo = now;
    if (since !== undefined) subscription.behind = Number.POSITIVE_INFINITY;
    connection.subscriptions.set(kind.name, subscription);
    this.#followStatuses();
    this.#followAnnouncements();
    const feeds = [
      viewer.feed,
      ...(subscription.wantsStatuses && this.#statuses !== undefined ? [this.#statuses] : []),
    ];
    const waited = feeds.some((feed) => !feed.live);
    const announced = kind.home ? this.#announcements?.ready : undefined;
    await Promise.all([...feeds.map((feed) => feed.ready), announced]);
    // A reset is sent after live events arrive, so that the client receives everything that happens after it reloads.
    if (waited || since !== undefined) viewer.catchUpOne(connection, subscription, since !== undefined);
  }

  unsubscribe(connection: Connection, kind: StreamKind): void {
    connection.subscriptions.delete(kind.name);
    this.#followStatuses();
    this.#followAnnouncements();
  }

  /**
   * Keeps connections alive, and closes those whose token or account is no longer valid, in case a message was lost.
   */
  async heartbeat(): Promise<void> {
    // Events read the clock, too. Without them the floors of positions would rise late.
    this.#published.publishedMs();
    for (const viewer of [...this.#viewers.values()]) {
      for (const connection of [...viewer.connections]) {
        connection.socket.heartbeat();
        await this.#check(connection);
      }
    }
  }

  /** Closes the streams of blocked addresses. */
  closeFrom(isBlocked: (address: string) => boolean): void {
    for (const viewer of [...this.#viewers.values()]) {
      for (const connection of [...viewer.connections]) {
        if (isBlocked(connection.address)) connection.socket.close('blocked');
      }
    }
  }

  /** Disconnects all clients, which then reconnect to another node. */
  drain(reason: CloseReason = 'restart'): void {
    for (const viewer of [...this.#viewers.values()]) {
      for (const connection of [...viewer.connections]) connection.socket.close(reason);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.drain();
    for (const timer of this.#timers) timer.cancel();
    const feeds: { close(): Promise<void> }[] = [...this.#viewers.values()].map((viewer) => viewer.feed);
    if (this.#statuses !== undefined) feeds.push(this.#statuses);
    if (this.#announcements !== undefined) feeds.push(this.#announcements);
    this.#viewers.clear();
    await Promise.allSettled(feeds.map((feed) => feed.close()));
  }

  #isInReach({ floor }: Since): boolean {
    const { services, oldestId } = this.#parts;
    return compareIds(floor, oldestId()) >= 0 && idMs(floor) <= services.idClock.nowMs() + POSITION_AHEAD_MS;
  }

  #followStatuses(): void {
    const needed = this.#some((viewer) => viewer.wantsStatuses);
    const { bus, services, logger } = this.#parts;
    const onMessage = (payload: Uint8Array) => this.#onStatus(payload);
    const failed = (err: unknown) => logger.error({ err }, 'failed to send a stream event');
    if (needed) this.#statuses ??= new Feed(bus, services.clock, STATUSES_TOPIC, onMessage, failed);
    else if (this.#statuses !== undefined) {
      this.#giveUp(this.#statuses);
      this.#statuses = undefined;
    }
  }

  /** Subscribes to announcements while a viewer needs them. */
  #followAnnouncements(): void {
    const needed = this.#some((viewer) => viewer.wantsAnnouncements);
    const send = (event: StreamEvent) => {
      for (const viewer of this.#viewers.values()) viewer.announced(event);
    };
    if (needed) this.#announcements ??= new AnnouncementFeed(this.#parts, send);
    else if (this.#announcements !== undefined) {
      this.#giveUp(this.#announcements);
      this.#announcements = undefined;
    }
  }

  /**
   * Returns true if a viewer passes the test. The map is not copied, because thousands connect and disconnect together.
   */
  #some(test: (viewer: Viewer) => boolean): boolean {
    for (const viewer of this.#viewers.values()) if (test(viewer)) return true;
    return false;
  }

  #giveUp(feed: Pick<Feed, 'close'>): void {
    feed.close().catch((err) => this.#parts.logger.warn({ err }, 'failed to unsubscribe from the bus'));
  }

  #onStatus(payload: Uint8Array): void {
    const message: NodeStatusTopic = statusTopicCodec.decode(payload);
    const record = message.status;
    if (record === undefined) return;
    if (message.kind === 'delete') this.#inOrder(async () => this.#deleted(record));
    else if (message.kind === 'update') {
      // A repeat that did not come before is late: its last owner did not publish it.
      const isLate = this.#parts.sources.publications.isLate(record.id);
      this.#updated(record, 'status', isLate ? { late: true } : { mayRepeat: message.mayRepeat });
    } else if (message.kind === 'edit') this.#updated(record, 'edited');
  }

  /** Renders and sends a new or edited status. */
  #updated(record: StoreStatusRecord, news: 'status' | 'edited', published: Publication = {}): void {
    if (!this.#some((viewer) => viewer.mayWant(record))) return;
    if (this.#rendering >= RENDERING_MAX) {
      this.#catchUp();
      return;
    }
    this.#rendering++;
    const { sources, services } = this.#parts;
    const wanted = () => !this.#closed && this.#viewers.size > 0;
    const rendered = untilAvailable(services.clock, wanted, () => statusEvent(sources, record, news)).finally(() => {
      this.#rendering--;
    });
    // The promise is awaited in its turn; until then a rejection must not count as unhandled.
    rendered.catch(() => undefined);
    this.#inOrder(async () => {
      const event = await rendered;
      if (event !== undefined) for (const viewer of this.#viewers.values()) viewer[news](event, record, published);
    });
  }

  #deleted(record: StoreStatusRecord): void {
    const event = new StreamEvent('delete', record.id, undefined);
    for (const viewer of this.#viewers.values()) viewer.deleted(event, record);
  }

  #inOrder(task: () => Promise<void>): void {
    this.#published.received();
    this.#order = this.#order
      .then(task)
      .catch((err) => this.#parts.logger.error({ err }, 'failed to send a stream event'))
      .finally(() => this.#published.passedOn());
  }

  #gap(subject: string | undefined): void {
    if (this.#closed) return;
    for (const viewer of this.#viewers.values()) {
      if (subject === undefined || subject === STATUSES_TOPIC || subject.endsWith(`.${viewer.id}`)) {
        viewer.gap();
        if (subject !== STATUSES_TOPIC) void this.#revoked(viewer, undefined);
      }
    }
    if (subject === undefined) for (const delayMs of CATCH_UP_AGAIN_MS) this.#later(delayMs);
  }

  #catchUp(): void {
    for (const viewer of this.#viewers.values()) viewer.catchUp();
  }

  #later(delayMs: number): void {
    const timer = this.#parts.services.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      this.#catchUp();
    });
    this.#timers.add(timer);
  }

  /**
   * Closes connections with the revoked token. Without a hash any token may be revoked, so all are checked against the
   * store. Resolves when the checks are complete.
   */
  async #revoked(viewer: Viewer, hash: string | undefined): Promise<void> {
    const checks: Promise<void>[] = [];
    for (const connection of [...viewer.connections]) {
      if (hash === undefined || hash === '') {
        checks.push(this.#check(connection).catch((err) => this.#unchecked(err)));
      } else if (connection.tokenHash === hash) connection.socket.close('revoked');
    }
    await Promise.all(checks);
  }

  /** Logs a failed check. The next heartbeat checks again. */
  #unchecked(err: unknown): void {
    this.#parts.logger.warn({ err }, 'failed to check the token of a stream');
  }

  async #check(connection: Connection): Promise<void> {
    if (connection.open && !(await this.#recheck(connection))) connection.socket.close('revoked');
  }
}
