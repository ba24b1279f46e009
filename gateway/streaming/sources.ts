import type { TagWish } from '../../actors/domain/text/hashtag.js';
import type { Publications } from '../../actors/timelines/publications.js';
import type { AccountDirect, StoreNotificationRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import type { StoredNotification } from '../notifications/stored-notification.js';
import type { Soon } from '../paging/soon.js';
import type { Place } from '../viewing/judge.js';
import type { Lens } from '../viewing/lens.js';

/**
 * A status that was deleted or edited, got a preview card, or was published late, at `atMs`. `status` contains its
 * audience, and whether it is deleted or late.
 */
export interface StatusChange {
  readonly atMs: number;
  readonly status: StoreStatusRecord;
}

/** A conversation as streams send it. */
export interface StreamedConversation {
  /** Id of its last status. */
  readonly id: string;
  /** The entity as pieces of JSON. */
  readonly pieces: readonly Uint8Array[];
}

/**
 * Functions of the gateway that streams need: renderers, and readers with which a stream catches up after an outage.
 * Readers return what the first pages of timelines would show: ids greater than `sinceId`, **oldest first**, at most
 * `limit` of them (the oldest ones, so that the caller can continue from the last).
 * @throws Unavailable when the store cannot answer; the hub retries
 */
export interface StreamSources {
  /** Renders the Status entity as pieces of JSON for anonymous viewers, without a quote; undefined if it is deleted. */
  renderStatus(record: StoreStatusRecord): Soon<readonly Uint8Array[] | undefined>;
  /**
   * Renders the status with the same fragments as pages, as the lens judges it at this place: with the matching filters
   * and its quote. `marksOf`: the account whose marks and votes all statuses in it have. Undefined if it is hidden.
   */
  renderFor(
    marksOf: string | undefined,
    record: StoreStatusRecord,
    lens: Lens,
    at: Place,
  ): Soon<readonly Uint8Array[] | undefined>;
  /** Renders the Notification entity; undefined if its status or account is deleted or not visible. */
  renderNotification(
    viewer: string,
    id: string,
    record: StoreNotificationRecord,
  ): Soon<readonly Uint8Array[] | undefined>;
  homeSince(viewer: string, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  /** Returns nothing if the viewer has no such list. */
  listSince(viewer: string, listId: string, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  tagSince(viewer: string, wish: TagWish, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  publicSince(viewer: string | undefined, sinceId: string, limit: number): Promise<readonly StoreStatusRecord[]>;
  /** Renders the Conversation entity with the last status' id; undefined if the viewer may not see any of it. */
  renderConversation(viewer: string, direct: AccountDirect): Soon<StreamedConversation | undefined>;
  /** Returns conversations by the ids of their last statuses. */
  conversationsSince(viewer: string, sinceId: string, limit: number): Promise<readonly AccountDirect[]>;
  /** Returns the current records of these statuses or reblogs, in that order; undefined for deleted ones. */
  nowOf(ids: readonly string[]): Promise<readonly (StoreStatusRecord | undefined)[]>;
  /** Returns changes in the order in which they happened. Some may be earlier than `sinceMs`. */
  changesSince(sinceMs: number): Promise<readonly StatusChange[] | 'too_many'>;
  readonly publications: Pick<Publications, 'received' | 'has' | 'isLate' | 'lateSince'>;
  notificationsSince(viewer: string, sinceId: string, limit: number): Promise<readonly StoredNotification[]>;
}
