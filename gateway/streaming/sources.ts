import type { TagWish } from '../../actors/domain/text/hashtag.js';
import type { AccountDirect, StoreNotificationRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import type { StoredNotification } from '../entities/notification/stored-notification.js';
import type { Place } from '../viewing/judge.js';

/**
 * A status that was deleted or edited, or got a preview card, at `atMs`. `status` contains its audience, and whether it
 * is deleted.
 */
export interface StatusChange {
  readonly atMs: number;
  readonly status: StoreStatusRecord;
}

/** A conversation as streams send it. */
export interface StreamedConversation {
  /** Id of its last status. */
  readonly id: string;
  readonly entity: object;
}

/** Fields that a status, and the one that it reblogs, have in addition for one viewer. */
export interface StreamedMarks {
  readonly status: object;
  readonly reblog: object | undefined;
}

/**
 * Functions of the gateway that streams need: renderers, and readers with which a stream catches up after an outage.
 * Readers return what the first pages of timelines would show: ids greater than `sinceId`, **oldest first**, at most
 * `limit` of them (the oldest ones, so that the caller can continue from the last).
 * @throws Unavailable when the store cannot answer; the hub retries
 */
export interface StreamSources {
  /** Renders the Status entity without the fields that depend on the viewer; undefined if it is deleted. */
  renderStatus(record: StoreStatusRecord): Promise<object | undefined>;
  /**
   * Renders the status for one viewer, who sees quotes differently from others. `isMarked`: all statuses in it have the
   * viewer's marks, and polls the viewer's votes.
   */
  renderFor(viewer: string, record: StoreStatusRecord, isMarked: boolean, at: Place): Promise<object | undefined>;
  /** Returns the viewer's marks. `isMuted`: the viewer has muted the conversation. */
  marksOf(viewer: string, record: StoreStatusRecord, isMuted: boolean): Promise<StreamedMarks>;
  /** Renders the Notification entity; undefined if its status or account is deleted or not visible. */
  renderNotification(viewer: string, id: string, record: StoreNotificationRecord): Promise<object | undefined>;
  homeSince(viewer: string, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  /** Returns nothing if the viewer has no such list. */
  listSince(viewer: string, listId: string, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  tagSince(viewer: string, wish: TagWish, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  publicSince(viewer: string | undefined, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  /** Renders the Conversation entity with the last status' id; undefined if the viewer may not see any of it. */
  renderConversation(viewer: string, direct: AccountDirect): Promise<StreamedConversation | undefined>;
  /** Returns conversations by the ids of their last statuses. */
  conversationsSince(viewer: string, sinceId: string, limit: number): Promise<readonly AccountDirect[]>;
  /** Returns the current records of these statuses or reblogs, in that order; undefined for deleted ones. */
  nowOf(ids: readonly string[]): Promise<readonly (StoreStatusRecord | undefined)[]>;
  /** Returns changes in the order in which they happened. Some may be earlier than `sinceMs`. */
  changesSince(sinceMs: number): Promise<readonly StatusChange[] | 'too_many'>;
  notificationsSince(viewer: string, sinceId: string, limit: number): Promise<readonly StoredNotification[]>;
}
