import type { TagWish } from '../../actors/domain/text/hashtag.js';
import type { AccountDirect, StoreNotificationRecord, StoreStatusRecord } from '../../proto/gen/types.js';

/** A stored notification with its id. */
export interface StoredNotification {
  readonly id: string;
  readonly record: StoreNotificationRecord;
}

/** A status that was deleted or is shown otherwise since `atMs`. `status` says who may have seen it, and whether it is gone. */
export interface StatusChange {
  readonly atMs: number;
  readonly status: StoreStatusRecord;
}

/** A conversation as it is sent. */
export interface StreamedConversation {
  /** Of its last status. */
  readonly id: string;
  readonly entity: object;
}

/** Fields that a status, and the one that it reblogs, have in addition for one viewer. */
export interface StreamedMarks {
  readonly status: object;
  readonly reblog: object | undefined;
}

/**
 * What streams need of the rest of the gateway: renderers, and readers by which a stream catches up after an outage.
 * Readers answer what the timelines' first pages would show: ids greater than `sinceId`, **oldest first**, at most
 * `limit` of them (the oldest ones, so that the caller can page on from the last).
 * @throws Unavailable when the store cannot answer; the hub tries again
 */
export interface StreamSources {
  /** The Status entity without what depends on the viewer; undefined when there is nothing to show (gone). */
  renderStatus(record: StoreStatusRecord): Promise<object | undefined>;
  /**
   * The same as the viewer sees what it quotes, or what the status that it reblogs quotes. `isMarked`: all statuses in
   * it have the viewer's marks, and polls the viewer's votes.
   */
  renderFor(viewer: string, record: StoreStatusRecord, isMarked: boolean): Promise<object | undefined>;
  /** The viewer's marks. `isMuted`: the viewer has muted its conversation. */
  marksOf(viewer: string, record: StoreStatusRecord, isMuted: boolean): Promise<StreamedMarks>;
  /** The Notification entity; undefined when it is not to be shown (its status or account is gone or not visible). */
  renderNotification(viewer: string, id: string, record: StoreNotificationRecord): Promise<object | undefined>;
  homeSince(viewer: string, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  /** Nothing when the viewer has no such list. */
  listSince(viewer: string, listId: string, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  tagSince(viewer: string, wish: TagWish, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  publicSince(viewer: string | undefined, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  /** The Conversation entity with the last status' id; undefined when the viewer may see nothing of it. */
  renderConversation(viewer: string, direct: AccountDirect): Promise<StreamedConversation | undefined>;
  /** By their last status' ids. */
  conversationsSince(viewer: string, sinceId: string, limit: number): Promise<readonly AccountDirect[]>;
  /** These statuses, or reblogs, as they are now, in that order; undefined for those that are there no more. */
  nowOf(ids: readonly string[]): Promise<readonly (StoreStatusRecord | undefined)[]>;
  /** In the order in which they happened; some from before it may be among them. */
  changesSince(sinceMs: number): Promise<readonly StatusChange[] | 'too_many'>;
  notificationsSince(viewer: string, sinceId: string, limit: number): Promise<readonly StoredNotification[]>;
}
