import { isListed } from '../../actors/domain/public.js';
import { isWished } from '../../actors/domain/text/hashtag.js';
import type { Clock } from '../../actors/domain/time.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { grants } from '../http/scopes.js';
import type { Lens } from '../viewing/lens.js';
import { Position, type Since } from './position.js';
import { RecentGists } from './recent-gists.js';
import { SentIds, versionOf } from './sent-ids.js';
import { StreamEvent } from './stream-event.js';
import { isAccounts, NOTIFICATIONS_SCOPE, type StreamKind } from './stream-kinds.js';

/** Why the server ends a stream. */
export type CloseReason = 'revoked' | 'slow' | 'behind' | 'deaf' | 'restart' | 'blocked' | 'flood';

/** What carries a connection's events: a WebSocket, or the answer to an SSE request. */
export interface StreamSocket {
  /**
   * Never blocks; a reader that is too slow is closed, and comes back with the last position it has seen: `at`, of an
   * event that has one.
   */
  send(event: StreamEvent, kind: StreamKind, at?: () => string): void;
  heartbeat(): void;
  close(reason: CloseReason): void;
}

/** One stream of one connection. */
export class StreamSubscription {
  readonly kind: StreamKind;
  readonly statuses: SentIds;
  readonly notifications: SentIds;
  /** A resumed stream has missed edits and deletions from here on, ms; undefined: none, or they were sent. */
  missedChangesMs: number | undefined;
  /** Of a home or list. */
  readonly #gists: RecentGists | undefined;
  /** Whether the token may hear of notifications, too. */
  readonly #notified: boolean;
  readonly #socket: StreamSocket;
  readonly #position: Position;

  /** `since`: everything after it is the subscription's business. */
  constructor(
    kind: StreamKind,
    scopes: readonly string[],
    socket: StreamSocket,
    since: Since,
    clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
  ) {
    this.kind = kind;
    this.#socket = socket;
    this.#position = new Position(since, clock);
    const forgottenTo = since.isNew === true ? '' : since.floor;
    this.statuses = new SentIds(since.floor, clock, forgottenTo);
    this.notifications = new SentIds(since.floor, clock, forgottenTo);
    // Of which kind each was is not known; ids of one kind are none of the other.
    for (const id of since.sent) {
      this.statuses.gone(id);
      this.notifications.gone(id);
    }
    this.#gists = isAccounts(kind) ? new RecentGists() : undefined;
    this.#notified = kind.notifications && grants(scopes, NOTIFICATIONS_SCOPE);
  }

  get wantsStatuses(): boolean {
    const { home, public: everyone, list, tag } = this.kind;
    return home || everyone !== undefined || list !== undefined || tag !== undefined;
  }

  get wantsNotifications(): boolean {
    return this.#notified;
  }

  /** Whether a new status belongs here, seen through the viewer's lens. */
  takes(status: StoreStatusRecord, lens: Lens): boolean {
    if (this.kind.home) return lens.home(status);
    if (this.kind.list !== undefined) return lens.list(this.kind.list, status);
    if (this.kind.tag !== undefined) return isWished(status, this.kind.tag) && lens.overhears(status);
    // Every status is this server's own.
    if (this.kind.public === undefined || this.kind.public === 'remote') return false;
    if (this.kind.media && status.media === undefined) return false;
    return isListed(status) && lens.overhears(status);
  }

  /** The same of what the store says was to come meanwhile. */
  catchesUp(status: StoreStatusRecord, lens: Lens): boolean {
    return this.kind.public === undefined && this.kind.tag === undefined
      ? lens.allows(status)
      : this.takes(status, lens);
  }

  /** Whether the viewer may have seen a status that is gone now. */
  mayHaveShown(status: StoreStatusRecord, lens: Lens): boolean {
    if (this.statuses.has(status.id)) return true;
    // By a reblog of it, of whose deletion nothing else is said.
    if (status.reblogs > 0 && (this.kind.home || this.kind.list !== undefined)) return lens.allows(status);
    if (this.kind.home) return (lens.hears(status.accountId) && lens.allows(status)) || lens.tagged(status);
    if (this.kind.list !== undefined) return lens.listed(this.kind.list, status.accountId) && lens.allows(status);
    return this.takes(status, lens);
  }

  /**
   * Sends a new status unless it was sent, or is a reblog of what was just shown.
   * @param mayRepeat it may have been published before: it is not sent either if a client that resumed may have it
   */
  status(event: StreamEvent, record: StoreStatusRecord, mayRepeat = false): void {
    const { id } = record;
    if ((mayRepeat && this.statuses.mayHave(id)) || !this.statuses.add(id, versionOf(record))) return;
    if (this.#gists?.add(record) !== false) {
      this.#send(event, id);
      return;
    }
    this.statuses.gone(id);
    // Whoever resumes is not sent it either.
    this.#position.add(id);
  }

  /** What a status says now. */
  edited(event: StreamEvent, record: StoreStatusRecord): void {
    this.statuses.renew(record.id, versionOf(record));
    this.#socket.send(event, this.kind);
  }

  /** It is shown otherwise now than the stream has told. */
  isNew(record: StoreStatusRecord): boolean {
    const version = this.statuses.version(record.id);
    return version !== undefined && version !== versionOf(record);
  }

  /** @param mayRepeat as for statuses */
  notification(event: StreamEvent, id: string, mayRepeat = false): void {
    if (mayRepeat && this.notifications.mayHave(id)) return;
    if (this.notifications.add(id)) this.#send(event, id);
  }

  /** A conversation, as of its last status. @param mayRepeat as for statuses */
  conversation(event: StreamEvent, statusId: string, mayRepeat = false): void {
    if (mayRepeat && this.statuses.mayHave(statusId)) return;
    if (this.statuses.add(statusId)) this.#send(event, statusId);
  }

  /** What concerns the account: nothing to be caught up with. */
  told(event: StreamEvent): void {
    this.#socket.send(event, this.kind);
  }

  /** More was missed than can be sent: the client reads its timelines again, and resumes after `floor` from now on. */
  reset(floor: string): void {
    this.#position.restart(floor);
    this.#send(new StreamEvent('reset', undefined, floor), floor);
  }

  #send(event: StreamEvent, id: string): void {
    this.#position.add(id);
    this.#socket.send(event, this.kind, () => this.#position.after(id));
  }

  /** A deleted status: it must not come again by catching up either. */
  deleted(event: StreamEvent, id: string): void {
    this.statuses.gone(id);
    this.#gists?.gone(id);
    this.#socket.send(event, this.kind);
  }
}

/** One client's connection with its streams, by name. */
export class Connection {
  readonly viewer: string;
  readonly tokenHash: string;
  readonly scopes: readonly string[];
  readonly socket: StreamSocket;
  /** The client's address. */
  readonly address: string;
  readonly subscriptions = new Map<string, StreamSubscription>();
  open = true;

  constructor(viewer: string, tokenHash: string, scopes: readonly string[], socket: StreamSocket, address: string) {
    this.viewer = viewer;
    this.tokenHash = tokenHash;
    this.scopes = scopes;
    this.socket = socket;
    this.address = address;
  }
}
