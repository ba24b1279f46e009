import { compareIds, laterId, makeId } from '../../actors/domain/ids.js';
import type { Timer } from '../../actors/domain/time.js';
import type { Publication } from '../../actors/timelines/publications.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { isWelcome } from '../viewing/judge-accounts.js';
import type { Lens } from '../viewing/lens.js';
import type { Connection, StreamSubscription } from './connection.js';
import type { HubParts } from './hub-parts.js';
import { conversationEvent, notificationEvent, statusEvent, untilAvailable } from './renderer.js';
import type { StatusChange } from './sources.js';
import { StreamEvent } from './stream-event.js';

/** Items read at a time when a stream catches up. */
const PAGE = 100;
/**
 * Items that one catch-up sends at most. A client that missed more is disconnected, to resume from there or to reload.
 */
export const CATCH_UP_SENT_MAX = 4_000;
/** Items that one catch-up reads at most: most of them may have been sent, or be of no interest to the stream. */
const READ_MAX = 20_000;
/** Statuses sent lately that are checked for missed deletions and edits: some screens of a client. */
const SHOWN_LOOKED_MAX = 200;

/**
 * Result of a catch-up: everything was sent; so much was missed that the client must resume for the rest; or the missed
 * events cannot be found, and the client must reload its timelines.
 */
type Outcome = 'done' | 'behind' | 'too_many';

/** Changes since a time (ms) before a client's position. */
interface Missed {
  readonly sinceMs: number;
  readonly found: readonly StatusChange[] | 'too_many';
}

/** Time for which a catch-up waits for its reader: other streams of the account wait, too. */
const DRAINED_MS_MAX = 5_000;

/** Receiver of a catch-up. */
interface Reader {
  /**
   * True while the subscription exists and no gap has been reported since the catch-up began. Until then a lost message
   * seemed to be still to come, so its status was left out: the catch-up of the gap sends it, and all later ones after it.
   */
  wanted(): boolean;
  /** Resolves when more may be sent. */
  room(): Promise<void>;
}

/** Returns true for the row of a late status that floors of streams may have passed before it was published. */
const isPassed = ({ late, aboveFloors }: StoreStatusRecord): boolean => late === true && aboveFloors !== true;

/** Sends an event to a subscription. */
export type Send = (subscription: StreamSubscription, event: StreamEvent) => void;

/** State of the viewer that decides about events. Without a lens none are sent. */
interface View {
  lens(): Lens | undefined;
  /** Number of gaps of the bus that were reported to the viewer. */
  gaps(): number;
  /** Sends an event with the viewer's filters applied. */
  screened(subscription: StreamSubscription, event: StreamEvent, record: StoreStatusRecord, send: Send): Promise<void>;
}

/**
 * Reads from the store what a viewer's streams have missed since their positions, one stream at a time, in the viewer's
 * lane.
 */
export class CatchingUp {
  constructor(
    private readonly viewer: string,
    private readonly parts: HubParts,
    private readonly view: View,
  ) {}

  /** Catches one subscription up. Disconnects its client if it missed more than one catch-up may send. */
  async of(connection: Connection, subscription: StreamSubscription): Promise<void> {
    const { name } = subscription.kind;
    const gaps = this.view.gaps();
    const wanted = () =>
      connection.open && connection.subscriptions.get(name) === subscription && this.view.gaps() === gaps;
    const reader = { wanted, room: () => this.#room(connection) };
    const outcomes: Outcome[] = [];
    const { resetTo } = subscription;
    if (resetTo !== undefined && wanted()) subscription.reset(resetTo);
    if (subscription.wantsStatuses) {
      const missed = await this.#missed(subscription, reader);
      if (missed !== undefined) outcomes.push(await this.#changes(subscription, missed, reader));
      if (wanted()) subscription.missedChangesMs = undefined;
      await this.#shown(subscription, reader);
      outcomes.push(await this.#statuses(subscription, missed?.found, reader));
    }
    if (subscription.wantsNotifications) outcomes.push(await this.#notifications(subscription, reader));
    if (subscription.kind.direct) outcomes.push(await this.#conversations(subscription, reader));
    if (!wanted()) return;
    if (outcomes.includes('too_many')) subscription.reset(makeId(this.parts.services.idClock.nowMs(), 0, 0));
    else if (outcomes.includes('behind')) connection.socket.close('behind');
  }

  /** Reads the changes since a resumed client's position; undefined for other streams, and for an unwanted catch-up. */
  async #missed(subscription: StreamSubscription, reader: Reader): Promise<Missed | undefined> {
    const sinceMs = subscription.missedChangesMs;
    if (sinceMs === undefined) return undefined;
    const found = await this.#untilAvailable(reader, () => this.parts.sources.changesSince(sinceMs));
    return found === undefined || !reader.wanted() ? undefined : { sinceMs, found };
  }

  /** Sends missed edits and deletions of statuses that were sent before, and late statuses below the floor. */
  async #changes(subscription: StreamSubscription, { sinceMs, found }: Missed, reader: Reader): Promise<Outcome> {
    if (found === 'too_many') return found;
    await this.#late(subscription, sinceMs, found, reader);
    const changed = this.#seen(subscription, found);
    if (changed.length > CATCH_UP_SENT_MAX) return 'too_many';
    for (const { id, deleted } of changed) {
      if (deleted && reader.wanted()) subscription.deleted(new StreamEvent('delete', id, undefined), id);
      await reader.room();
    }
    const edited = changed.filter(({ deleted }) => !deleted).map(({ id }) => id);
    for (const record of await this.#recordsOf(edited, reader)) await this.#edit(subscription, record, reader);
    return 'done';
  }

  /** Returns the current records, without deleted ones. */
  async #recordsOf(ids: readonly string[], reader: Reader): Promise<readonly StoreStatusRecord[]> {
    const all: StoreStatusRecord[] = [];
    for (let from = 0; from < ids.length && reader.wanted(); from += PAGE) {
      const some = ids.slice(from, from + PAGE);
      const records = (await this.#untilAvailable(reader, () => this.parts.sources.nowOf(some))) ?? [];
      for (const record of records) if (record !== undefined) all.push(record);
    }
    return all;
  }

  /** Sends statuses that were published after the client's floor had passed them. */
  async #late(
    subscription: StreamSubscription,
    sinceMs: number,
    found: readonly StatusChange[],
    reader: Reader,
  ): Promise<void> {
    const { floor } = subscription.statuses;
    const ids = new Set(this.parts.sources.publications.lateSince(sinceMs));
    const mayLack = (status: StoreStatusRecord) => isPassed(status) || (status.late === true && !subscription.isRaised);
    for (const { status } of found) if (mayLack(status) && this.#takes(subscription, status)) ids.add(status.id);
    const below = [...ids].filter((id) => compareIds(id, floor) <= 0 && !subscription.statuses.has(id));
    const records = await this.#recordsOf(below, reader);
    for (const record of records) await this.#send(subscription, record, reader, { late: true });
  }

  /** Returns the last change of each status that the client may show, unless the catch-up sends the status itself. */
  #seen(subscription: StreamSubscription, changes: readonly StatusChange[]): StoreStatusRecord[] {
    const lens = this.view.lens();
    if (lens === undefined) return [];
    const { floor } = subscription.statuses;
    const last = new Map<string, StoreStatusRecord>();
    for (const { status } of changes) {
      if (status.late === true) continue;
      const { id, deleted, reblogs } = status;
      const isComing = compareIds(id, floor) > 0 && !subscription.statuses.has(id) && !(deleted && reblogs > 0);
      const isSeen = deleted ? subscription.mayHaveShown(status, lens) : subscription.takes(status, lens);
      if (isSeen && !isComing && last.get(id)?.deleted !== true) last.set(id, status);
    }
    return [...last.values()];
  }

  /** @param changes changes since the floor, if they were read */
  async #statuses(
    subscription: StreamSubscription,
    changes: Missed['found'] | undefined,
    reader: Reader,
  ): Promise<Outcome> {
    const { sources } = this.parts;
    const lateIds =
      changes === undefined || changes === 'too_many'
        ? undefined
        : new Set(changes.flatMap(({ status }) => (isPassed(status) ? [status.id] : [])));
    const { home, list, tag } = subscription.kind;
    const read = (sinceId: string) => {
      if (home) return sources.homeSince(this.viewer, sinceId, PAGE);
      if (list !== undefined) return sources.listSince(this.viewer, list, sinceId, PAGE);
      if (tag !== undefined) return sources.tagSince(this.viewer, tag, sinceId, PAGE);
      return sources.publicSince(this.viewer, sinceId, PAGE);
    };
    const { publications } = sources;
    let before: number | undefined;
    return this.#pages(this.#start(subscription.statuses.floor), reader, read, async (record) => {
      const isPublished = publications.has(record.id, before);
      if (isPublished === false) {
        // Its message comes after the catch-up, as do those of statuses that are published after it.
        before ??= publications.received;
        return false;
      }
      // Only late statuses that a position names below its floor are not sent again; it has place for few.
      const late = isPublished === undefined ? (lateIds?.has(record.id) ?? true) : publications.isLate(record.id);
      return this.#send(subscription, record, reader, { late });
    });
  }

  /** Returns true if the status had to be sent. */
  async #send(
    subscription: StreamSubscription,
    record: StoreStatusRecord,
    reader: Reader,
    published: Publication,
  ): Promise<boolean> {
    const takes = () => this.#takes(subscription, record);
    if (subscription.statuses.has(record.id) || !takes()) return false;
    const event = await this.#untilAvailable(reader, () => statusEvent(this.parts.sources, record));
    if (event === undefined || !reader.wanted() || !takes()) return false;
    await this.view.screened(subscription, event, record, (one, shown) => {
      if (reader.wanted()) one.status(shown, record, published);
    });
    return true;
  }

  /** Checks statuses that were sent for deletions and edits. A new stream has none, and reads nothing. */
  async #shown(subscription: StreamSubscription, reader: Reader): Promise<void> {
    const ids = subscription.statuses.shown(SHOWN_LOOKED_MAX);
    if (ids.length === 0) return;
    const now = (await this.#untilAvailable(reader, () => this.parts.sources.nowOf(ids))) ?? [];
    for (const [place, record] of now.entries()) {
      const id = ids[place] as string;
      if (!reader.wanted()) return;
      if (record === undefined) subscription.deleted(new StreamEvent('delete', id, undefined), id);
      else if (subscription.isNew(record)) await this.#edit(subscription, record, reader);
    }
  }

  async #edit(subscription: StreamSubscription, record: StoreStatusRecord, reader: Reader): Promise<void> {
    const takes = () => this.#takes(subscription, record);
    if (!takes()) return;
    const event = await this.#untilAvailable(reader, () => statusEvent(this.parts.sources, record, 'edited'));
    if (event === undefined || !reader.wanted() || !takes()) return;
    await this.view.screened(subscription, event, record, (one, shown) => one.edited(shown, record));
    await reader.room();
  }

  #notifications(subscription: StreamSubscription, reader: Reader): Promise<Outcome> {
    const { sources } = this.parts;
    const read = (sinceId: string) => sources.notificationsSince(this.viewer, sinceId, PAGE);
    return this.#pages(this.#start(subscription.notifications.floor), reader, read, async (found) => {
      const { id, record } = found;
      if (record.filtered === true || subscription.notifications.has(id)) return false;
      const lens = this.view.lens();
      if (lens === undefined || !isWelcome(record, lens)) return false;
      const event = await this.#untilAvailable(reader, () => notificationEvent(sources, this.viewer, id, record));
      if (event === undefined || !reader.wanted()) return false;
      subscription.notification(event, id);
      return true;
    });
  }

  #conversations(subscription: StreamSubscription, reader: Reader): Promise<Outcome> {
    const { sources } = this.parts;
    const since = this.#start(subscription.statuses.floor);
    const read = async (sinceId: string) => {
      const directs = await sources.conversationsSince(this.viewer, sinceId, PAGE);
      return directs.map((direct) => ({ id: direct.statusIds.at(-1) ?? '', direct }));
    };
    return this.#pages(since, reader, read, async ({ direct }) => {
      const event = await this.#untilAvailable(reader, () => conversationEvent(sources, this.viewer, direct));
      if (event === undefined || compareIds(event.id, since) <= 0 || !reader.wanted()) return false;
      subscription.conversation(event, event.id);
      return true;
    });
  }

  /** Reads all pages. `offer` returns true if the item had to be sent. */
  async #pages<T extends { readonly id: string }>(
    sinceId: string,
    reader: Reader,
    read: (sinceId: string) => Promise<readonly T[]>,
    offer: (item: T) => Promise<boolean>,
  ): Promise<Outcome> {
    let after = sinceId;
    let sent = 0;
    for (let count = 0; count < READ_MAX && reader.wanted(); ) {
      const items = (await this.#untilAvailable(reader, () => read(after))) ?? [];
      for (const item of items) {
        if (sent >= CATCH_UP_SENT_MAX) return 'behind';
        if (!(await offer(item))) continue;
        sent += 1;
        await reader.room();
      }
      const last = items.at(-1);
      if (last === undefined || items.length < PAGE || compareIds(last.id, after) <= 0) return 'done';
      after = last.id;
      count += items.length;
    }
    return 'too_many';
  }

  /**
   * Waits until the reader has taken most of what was sent. A catch-up has more than may wait for a reader. One that
   * takes nothing is disconnected, and resumes from there.
   */
  async #room({ socket }: Connection): Promise<void> {
    const drained = socket.drained();
    if (drained === undefined) return;
    let timer: Timer | undefined;
    const late = new Promise<true>((resolve) => {
      timer = this.parts.services.clock.after(DRAINED_MS_MAX, () => resolve(true));
    });
    if ((await Promise.race([drained, late])) === true) socket.close('slow');
    timer?.cancel();
  }

  /** Returns the id to read from: never before the hub's limit, whatever position the client gives. */
  #start(floor: string): string {
    return laterId(floor, this.parts.oldestId());
  }

  #untilAvailable<T>(reader: Reader, attempt: () => Promise<T>): Promise<T | undefined> {
    return untilAvailable(this.parts.services.clock, reader.wanted, attempt);
  }

  #takes(subscription: StreamSubscription, record: StoreStatusRecord): boolean {
    const lens = this.view.lens();
    return lens !== undefined && subscription.takes(record, lens);
  }
}
