import { isLocal } from '../../actors/domain/addresses.js';
import { compareIds } from '../../actors/domain/ids.js';
import { isListed } from '../../actors/domain/public.js';
import { isWished } from '../../actors/domain/text/hashtag.js';
import type { Publication } from '../../actors/timelines/publications.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { grants } from '../http/scopes.js';
import { inList, judge, PLACES, type Place } from '../viewing/judge.js';
import type { Lens } from '../viewing/lens.js';
import { Position, type Since } from './position.js';
import type { Progress, Sent } from './progress.js';
import type { StreamClock } from './published-clock.js';
import { RecentGists } from './recent-gists.js';
import { SentIds, versionOf } from './sent-ids.js';
import { StreamEvent } from './stream-event.js';
import { isAccounts, LOCAL_TAG, NOTIFICATIONS_SCOPE, type StreamKind } from './stream-kinds.js';

/** Reason for which the server ends a stream. */
export type CloseReason = 'revoked' | 'slow' | 'behind' | 'deaf' | 'restart' | 'blocked' | 'flood';

/** Transport of a connection's events: a WebSocket, or the response to an SSE request. */
export interface StreamSocket {
  /**
   * Sends an event without blocking. A reader that is too slow is closed and resumes from the last position it has
   * seen. `at` returns the position of an event that has one, in ASCII.
   */
  send(event: StreamEvent, kind: StreamKind, at?: () => Buffer): void;
  heartbeat(): void;
  /** Resolves when the reader has taken most of what was sent, or is gone; undefined if that is so now. */
  drained(): Promise<void> | undefined;
  close(reason: CloseReason): void;
}

const HOME = [PLACES.home, PLACES.wasHome] as const;
const PUBLIC = [PLACES.publicStream, PLACES.wasPublic] as const;

/** One stream of one connection. */
export class StreamSubscription {
  readonly kind: StreamKind;
  readonly statuses: SentIds;
  readonly notifications: SentIds;
  /**
   * Time in ms from which a resumed stream has missed edits and deletions; undefined if there are none or they were
   * sent.
   */
  missedChangesMs: number | undefined;
  /** True if a resumed stream's floor had risen: it passed only what was sent, and late statuses. */
  readonly isRaised: boolean;
  /**
   * Number of the catch-up that is to come; 0 if there is none. It finds, in order, everything above the stream's floor
   * that is published until then. The floor of the position must not pass what it has not sent yet.
   */
  behind = 0;
  /** Floor of the next position if the client must still receive `reset` and reload its timelines. */
  resetTo: string | undefined;
  /** Place of the stream's statuses. */
  readonly at: Place;
  /** Place of statuses that the stream may have shown before. */
  readonly #before: Place;
  /** Present on home and list streams. */
  readonly #gists: RecentGists | undefined;
  /** True if the token also allows notifications. */
  readonly #notified: boolean;
  readonly #socket: StreamSocket;
  readonly #position: Position;

  /** `since`: the subscription is responsible for everything after it. */
  constructor(kind: StreamKind, scopes: readonly string[], socket: StreamSocket, since: Since, clock: StreamClock) {
    this.kind = kind;
    this.#socket = socket;
    this.#notified = kind.notifications && grants(scopes, NOTIFICATIONS_SCOPE);
    this.#position = new Position(since, clock, this.#notified);
    this.isRaised = since.isRaised === true;
    const sentIds = ({ floor, sent, late = [] }: Sent) => {
      const ids = new SentIds(floor, clock, since.isNew === true ? '' : floor);
      for (const id of [...sent, ...late]) ids.gone(id);
      return ids;
    };
    this.statuses = sentIds(since);
    this.notifications = sentIds(since.notified ?? since);
    const { list } = kind;
    if (list === undefined) [this.at, this.#before] = kind.home ? HOME : PUBLIC;
    else [this.at, this.#before] = [inList(list), inList(list, PLACES.wasList)];
    this.#gists = isAccounts(kind) ? new RecentGists() : undefined;
  }

  get wantsStatuses(): boolean {
    const { home, public: everyone, list, tag } = this.kind;
    return home || everyone !== undefined || list !== undefined || tag !== undefined;
  }

  get wantsNotifications(): boolean {
    return this.#notified;
  }

  /**
   * Returns true if a live event is sent at once, false if a catch-up that is to come finds it. No catch-up finds ids up
   * to the floor, which is the present by this node's id clock when a stream begins: the clocks of other nodes may be
   * behind it.
   */
  isDue(id: string, sent: SentIds = this.statuses): boolean {
    return this.behind === 0 || compareIds(id, sent.floor) <= 0;
  }

  /**
   * Decides the same for a new status. Its author may have posted others that the catch-up is to send. A resumed
   * stream's catch-up finds late statuses below the floor, too, by their rows.
   */
  isStatusDue(id: string, { late }: Publication): boolean {
    const isFoundByRow = late === true && this.missedChangesMs !== undefined;
    return isFoundByRow ? this.behind === 0 : this.isDue(id);
  }

  /** Returns true if the status belongs on this stream and the viewer's relations show it. */
  takes(status: StoreStatusRecord, lens: Lens): boolean {
    return this.#carries(status) && judge(status, undefined, lens, this.at);
  }

  /** Returns true if the viewer may have seen a status that is deleted now. */
  mayHaveShown(status: StoreStatusRecord, lens: Lens): boolean {
    if (this.statuses.has(status.id)) return true;
    // The viewer may have seen a reblog of it; the deletion of that reblog is not published.
    if (status.reblogs > 0 && isAccounts(this.kind)) return judge(status, undefined, lens, PLACES.wasReblogged);
    return this.#carries(status) && judge(status, undefined, lens, this.#before);
  }

  /** Returns true if the status is one of those that the stream is about. The judge selects for home and lists. */
  #carries(status: StoreStatusRecord): boolean {
    const { home, list, tag, media, public: whose } = this.kind;
    if (home || list !== undefined) return true;
    if (tag !== undefined) return isWished(status, tag) && (this.kind.labels[0] !== LOCAL_TAG || isLocal(status));
    if (whose === undefined || (whose !== 'all' && isLocal(status) !== (whose === 'local'))) return false;
    return (!media || status.media !== undefined) && isListed(status);
  }

  /**
   * Sends a new status, unless it was sent or reblogs a status that was just shown. A repeat is also skipped if a client
   * that resumed may have it.
   */
  status(event: StreamEvent, record: StoreStatusRecord, { mayRepeat, late }: Publication = {}): void {
    const { id } = record;
    if (late === true) this.#position.statuses.addLate(id);
    if ((mayRepeat === true && this.statuses.mayHave(id)) || !this.statuses.add(id, versionOf(record))) return;
    if (this.#gists?.add(record) !== false) {
      this.#send(event, id);
      return;
    }
    this.statuses.gone(id);
    // A client that resumes does not get it either.
    this.#position.statuses.add(id);
  }

  /** Sends the new content of a status. */
  edited(event: StreamEvent, record: StoreStatusRecord): void {
    this.statuses.renew(record.id, versionOf(record));
    this.#socket.send(event, this.kind);
  }

  /** Returns true if a status differs from the version that was sent. */
  isNew(record: StoreStatusRecord): boolean {
    const version = this.statuses.version(record.id);
    return version !== undefined && version !== versionOf(record);
  }

  /** Sends a notification once. @param mayRepeat it may have been published before */
  notification(event: StreamEvent, id: string, mayRepeat = false): void {
    if (mayRepeat && this.notifications.mayHave(id)) return;
    if (this.notifications.add(id)) this.#send(event, id, this.#position.notifications);
  }

  /** Sends a conversation, identified by its last status. @param mayRepeat it may have been published before */
  conversation(event: StreamEvent, statusId: string, mayRepeat = false): void {
    if (mayRepeat && this.statuses.mayHave(statusId)) return;
    if (this.statuses.add(statusId)) this.#send(event, statusId);
  }

  /** Sends an event about the account, which a catch-up never repeats. */
  accountEvent(event: StreamEvent): void {
    this.#socket.send(event, this.kind);
  }

  /**
   * Tells the client to reload its timelines because it missed more than can be sent. From now on it resumes after
   * `floor`.
   */
  reset(floor: string): void {
    this.resetTo = undefined;
    this.#position.restart(floor);
    this.#send(new StreamEvent('reset', undefined, floor), floor);
  }

  #send(event: StreamEvent, id: string, progress: Progress = this.#position.statuses): void {
    progress.add(id);
    this.#socket.send(event, this.kind, () => this.#position.after(id, this.behind > 0));
  }

  /** Sends a deletion. A catch-up does not send the status again. */
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
  /** Address of the client. */
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
