import { isProblem } from '../../actors/domain/problem.js';
import type { Publication } from '../../actors/timelines/publications.js';
import { codec } from '../../proto/codec.js';
import type { AccountDirect, StoreNotificationRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import { accountTopic } from '../../transport/bus.js';
import type { Soon } from '../paging/soon.js';
import type { Place } from '../viewing/judge.js';
import { isWelcome } from '../viewing/judge-accounts.js';
import { Lens } from '../viewing/lens.js';
import { loadScreen } from '../viewing/screen.js';
import { CatchingUp, type Send } from './catching-up.js';
import type { Connection, StreamSubscription } from './connection.js';
import { Feed } from './feed.js';
import type { HubParts } from './hub-parts.js';
import { Lane, type Task } from './lane.js';
import type { StreamClock } from './published-clock.js';
import { conversationEvent, notificationEvent, untilAvailable } from './renderer.js';
import { StreamEvent } from './stream-event.js';
import { isAccounts, type StreamKind } from './stream-kinds.js';

/** Event for clients that apply filters themselves: they read the filters again. */
const FILTERS_CHANGED = new StreamEvent('filters_changed', undefined, undefined);
/** Event that waiting notifications were merged into the others. The payload has no meaning and is Mastodon's. */
const MERGED = new StreamEvent('notifications_merged', '1', undefined);

/**
 * Sends the events of which the store has no trace: clients read filters and notifications again.
 * @param filters whether the viewer may have had filters
 */
function tellAgain(subscription: StreamSubscription, filters = true): void {
  if (filters && subscription.kind.home) subscription.accountEvent(FILTERS_CHANGED);
  if (subscription.wantsNotifications) subscription.accountEvent(MERGED);
}

const accountTopicCodec = codec('murmuration.node.AccountTopic');

/** One account with streams on this node: its lens, its topic, its connections. Events reach it in order. */
export class Viewer {
  readonly id: string;
  readonly connections = new Set<Connection>();
  readonly feed: Feed;
  /** Clock of the streams: floors do not pass events that wait in the lane. */
  readonly clock: StreamClock;
  readonly #catchingUp: CatchingUp;
  readonly #parts: HubParts;
  readonly #lane: Lane;
  readonly #recheck: (viewer: Viewer, tokenHash: string | undefined) => Promise<void>;
  #lens: Lens | undefined;
  /** True while a load of the lens waits in the lane. It will include later changes, too. */
  #lensWaits = false;
  /** Monotonic time of the query for the lens. */
  #lensAtMs = 0;
  #catchUpWaits = false;
  /** Number of the last catch-up that was requested. */
  #catchUps = 0;
  #gaps = 0;
  /** Time up to which everything was published when the running task entered the lane. */
  #publishedMs = 0;

  constructor(id: string, parts: HubParts, recheck: (viewer: Viewer, tokenHash: string | undefined) => Promise<void>) {
    this.id = id;
    this.#parts = parts;
    this.#recheck = recheck;
    const failed = (err: unknown) => parts.logger.error({ err, viewer: id }, 'failed to send a stream event');
    this.#lane = new Lane(() => this.#beginAnew(), failed);
    this.#catchingUp = new CatchingUp(id, parts, {
      lens: () => this.#lens,
      gaps: () => this.#gaps,
      screened: (subscription, event, record, send) => this.#screened([subscription], event, record, send),
    });
    const { bus, services, published } = parts;
    this.clock = {
      nowMs: () => published.nowMs(),
      monotonicMs: () => published.monotonicMs(),
      publishedMs: () => this.#publishedMs,
    };
    this.feed = new Feed(bus, services.clock, accountTopic(id), (payload) => this.#onMessage(payload), failed);
  }

  /** Loads the lens. Call it after adding the first connection. */
  start(): void {
    this.#refreshLens();
  }

  /** Returns false if certainly no stream of the viewer takes the status: then it need not be rendered. */
  mayWant(status: StoreStatusRecord): boolean {
    const lens = this.#lens;
    if (lens === undefined || this.#lane.busy) return true;
    return this.#some((subscription) => subscription.takes(status, lens));
  }

  status(event: StreamEvent, record: StoreStatusRecord, published: Publication): void {
    this.#show(event, record, (subscription, shown) => {
      if (subscription.isStatusDue(record.id, published)) subscription.status(shown, record, published);
    });
  }

  /** Sends an event to each subscription that takes the status, with the viewer's filters applied. */
  #show(event: StreamEvent, record: StoreStatusRecord, send: Send): void {
    this.#inLane(() => {
      const lens = this.#lens;
      const isWanted = lens !== undefined && this.#some((subscription) => subscription.takes(record, lens));
      if (isWanted && this.#isStale()) return this.#lookAgain().then(() => this.#showNow(event, record, send));
      return this.#showNow(event, record, send);
    });
  }

  #showNow(event: StreamEvent, record: StoreStatusRecord, send: Send): Promise<void> | undefined {
    const taking: StreamSubscription[] = [];
    this.#each((subscription, lens) => {
      if (!subscription.takes(record, lens)) return;
      const isForAll = lens.screen === undefined && record.quote === undefined && !isAccounts(subscription.kind);
      if (isForAll) send(subscription, event);
      else taking.push(subscription);
    });
    return taking.length === 0 ? undefined : this.#screened(taking, event, record, send);
  }

  #isStale(): boolean {
    const { relationsAgeMaxMs, services } = this.#parts;
    return relationsAgeMaxMs !== undefined && services.clock.monotonicMs() - this.#lensAtMs > relationsAgeMaxMs();
  }

  /**
   * Reloads the lens and checks the tokens. An unreachable node may have revoked a token or changed the relations
   * without a message to this node.
   */
  async #lookAgain(): Promise<void> {
    await Promise.all([this.#loadLens(), this.#recheck(this, undefined)]);
  }

  async #screened(
    taking: readonly StreamSubscription[],
    event: StreamEvent,
    record: StoreStatusRecord,
    send: Send,
  ): Promise<void> {
    /** Variants by place, rendered once however many streams of that kind show the status. */
    const variants = new Map<Place, StreamEvent | undefined>();
    for (const { kind, at } of taking) {
      if (this.#lens === undefined) return;
      if (!variants.has(at)) variants.set(at, await this.#variant(event, record, this.#lens, kind, at));
    }
    for (const subscription of taking) {
      const shown = variants.get(subscription.at);
      if (shown !== undefined) send(subscription, shown);
    }
  }

  /**
   * Renders the viewer's variant: marks, filters, quotes and polls look different to each viewer. Undefined: filters or
   * blocked servers hide the status, or the original of a reblog is gone.
   */
  async #variant(
    event: StreamEvent,
    record: StoreStatusRecord,
    lens: Lens,
    kind: StreamKind,
    at: Place,
  ): Promise<StreamEvent | undefined> {
    const isOwn = isAccounts(kind);
    if (!isOwn && lens.screen === undefined && record.quote === undefined) return event;
    const marksOf = isOwn ? this.id : undefined;
    const { sources } = this.#parts;
    const pieces = await this.#untilAvailable(() => sources.renderFor(marksOf, record, lens, at));
    return pieces && event.of(pieces);
  }

  edited(event: StreamEvent, record: StoreStatusRecord): void {
    this.#show(event, record, (subscription, shown) => subscription.edited(shown, record));
  }

  deleted(event: StreamEvent, record: StoreStatusRecord): void {
    this.#inLane(() =>
      this.#each((subscription, lens) => {
        if (subscription.wantsStatuses && subscription.mayHaveShown(record, lens)) {
          subscription.deleted(event, record.id);
        }
      }),
    );
  }

  get wantsStatuses(): boolean {
    return this.#some((subscription) => subscription.wantsStatuses);
  }

  /** True if a home stream is open, which carries announcements. */
  get wantsAnnouncements(): boolean {
    return this.#some((subscription) => subscription.kind.home);
  }

  announced(event: StreamEvent): void {
    for (const connection of [...this.connections]) {
      for (const subscription of connection.subscriptions.values()) {
        if (connection.open && subscription.kind.home) subscription.accountEvent(event);
      }
    }
  }

  /** Catches up after the bus may have lost messages, in place of a catch-up that runs. */
  gap(): void {
    this.#gaps += 1;
    this.catchUp();
  }

  /** Reads from the store what was not sent. One read serves all calls that wait. */
  catchUp(): void {
    this.#catchUps += 1;
    for (const subscription of this.#subscriptions()) subscription.behind = this.#catchUps;
    if (this.#catchUpWaits) return;
    this.#catchUpWaits = true;
    this.#inLane(() => this.#beginAnew());
  }

  /** Catches up one new subscription. @param isResumed its client had it before, and may have missed any event */
  catchUpOne(connection: Connection, subscription: StreamSubscription, isResumed: boolean): void {
    this.#catchUps += 1;
    const number = this.#catchUps;
    subscription.behind = number;
    this.#inLane(async () => {
      try {
        await this.#catchingUp.of(connection, subscription);
        if (isResumed && connection.open) tellAgain(subscription);
      } finally {
        if (subscription.behind === number) subscription.behind = 0;
      }
    });
  }

  #inLane(task: Task): void {
    const publishedMs = this.#parts.published.publishedMs();
    this.#lane.run(() => {
      this.#publishedMs = publishedMs;
      return task();
    });
  }

  #onMessage(payload: Uint8Array): void {
    const message = accountTopicCodec.decode(payload);
    if (message.kind === 'relations') this.#refreshLens();
    else if (message.kind === 'filters_changed') this.#tell(FILTERS_CHANGED, ({ kind }) => kind.home);
    else if (message.kind === 'notifications_merged') this.#tell(MERGED, (one) => one.wantsNotifications);
    else if (message.kind === 'token_revoked') void this.#recheck(this, message.tokenHash);
    else if (message.kind === 'conversation') this.#conversed(message.direct, message.mayRepeat);
    else if (message.kind === 'notification') {
      const { notificationId: notified, notification, mayRepeat } = message;
      if (notified !== undefined && notification !== undefined) this.#notified(notified, notification, mayRepeat);
    }
  }

  #notified(id: string, record: StoreNotificationRecord, mayRepeat = false): void {
    this.#inLane(async () => {
      if (!this.#some((subscription) => subscription.wantsNotifications)) return;
      if (this.#isStale()) await this.#lookAgain();
      const event = await this.#untilAvailable(() => notificationEvent(this.#parts.sources, this.id, id, record));
      if (event === undefined) return;
      this.#each((subscription, lens) => {
        if (!subscription.wantsNotifications || !isWelcome(record, lens)) return;
        if (subscription.isDue(id, subscription.notifications)) subscription.notification(event, id, mayRepeat);
      });
    });
  }

  #conversed(direct: AccountDirect | undefined, mayRepeat = false): void {
    if (direct === undefined) return;
    this.#inLane(async () => {
      if (!this.#some(({ kind }) => kind.direct)) return;
      if (this.#isStale()) await this.#lookAgain();
      const event = await this.#untilAvailable(() => conversationEvent(this.#parts.sources, this.id, direct));
      if (event === undefined) return;
      this.#each((subscription) => {
        if (subscription.kind.direct && subscription.isDue(event.id)) {
          subscription.conversation(event, event.id, mayRepeat);
        }
      });
    });
  }

  /** Reloads the lens in the lane, so that later events use it. Fails closed: without a lens no events are sent. */
  #refreshLens(): void {
    if (this.#lensWaits) return;
    this.#lensWaits = true;
    this.#inLane(() => this.#loadLens());
  }

  async #loadLens(): Promise<void> {
    this.#lensWaits = false;
    const askedMs = this.#parts.services.clock.monotonicMs();
    const { askAccount, clock, limits } = this.#parts.services;
    const sources = await this.#untilAvailable(() => askAccount(this.id, 'sources', {}));
    const screen =
      sources !== undefined && !isProblem(sources) && sources.screened
        ? await this.#untilAvailable(() => loadScreen(askAccount, this.id, clock))
        : undefined;
    if (sources === undefined || isProblem(sources)) this.#lens = undefined;
    else this.#lens = new Lens(this.id, sources, clock, limits, screen);
    this.#lensAtMs = askedMs;
  }

  /** Catches up after a gap. Reloads the lens first, because a change of relations may have been missed. */
  async #beginAnew(): Promise<void> {
    this.#catchUpWaits = false;
    const number = this.#catchUps;
    try {
      const before = this.#lens;
      await this.#loadLens();
      await this.#catchUpAll();
      // After an outage thousands of clients would read filters, and most have none.
      const filters = before === undefined || [before, this.#lens].some((lens) => lens?.screen?.filters !== undefined);
      this.#each((subscription) => tellAgain(subscription, filters));
    } finally {
      for (const subscription of this.#subscriptions()) if (subscription.behind <= number) subscription.behind = 0;
    }
  }

  /** Sends an event that makes clients read something again. */
  #tell(event: StreamEvent, isFor: (subscription: StreamSubscription) => boolean): void {
    this.#inLane(() =>
      this.#each((subscription) => {
        if (isFor(subscription)) subscription.accountEvent(event);
      }),
    );
  }

  async #catchUpAll(): Promise<void> {
    for (const connection of [...this.connections]) {
      for (const subscription of [...connection.subscriptions.values()]) {
        await this.#catchingUp.of(connection, subscription);
      }
    }
  }

  #untilAvailable<T>(attempt: () => Soon<T>): Promise<T | undefined> {
    return untilAvailable(this.#parts.services.clock, () => this.connections.size > 0, attempt);
  }

  #some(test: (subscription: StreamSubscription) => boolean): boolean {
    for (const connection of this.connections) {
      for (const subscription of connection.subscriptions.values()) if (test(subscription)) return true;
    }
    return false;
  }

  *#subscriptions(): Generator<StreamSubscription> {
    for (const connection of this.connections) yield* connection.subscriptions.values();
  }

  #each(visit: (subscription: StreamSubscription, lens: Lens) => void): void {
    const lens = this.#lens;
    if (lens === undefined) return;
    for (const connection of [...this.connections]) {
      for (const subscription of connection.subscriptions.values()) if (connection.open) visit(subscription, lens);
    }
  }
}
