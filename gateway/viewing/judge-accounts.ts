import { isSuspended, isThere } from '../../actors/domain/standing.js';
import type { StoreAccountRecord, StoreNotificationRecord } from '../../proto/gen/types.js';
import { BLOCKED, BLOCKS_VIEWER, FOLLOWED, type Lens, MUTED, NOTIFICATIONS_MUTED, OWN } from './lens.js';
import { blocksDomainOf } from './screen.js';

/** A place where accounts are shown. */
interface AccountPlace {
  /** Relations that hide an account, as bits of a lens. */
  readonly hiding: number;
  /** True if accounts of servers that the viewer blocks are hidden, unless followed. */
  readonly domain: boolean;
}

/** The rules of each place. Accounts that are not published, or suspended, are hidden in all,
 * and so are those of suspended servers. */
export const ACCOUNT_PLACES = {
  /** Senders of notifications and of their requests. Source: Mastodon NotifyService::DropCondition. */
  sender: { hiding: BLOCKED | BLOCKS_VIEWER | NOTIFICATIONS_MUTED, domain: true },
  /** Accounts in collections. */
  collection: { hiding: BLOCKED | BLOCKS_VIEWER, domain: true },
  /** Source: Mastodon Account.not_excluded_by_account and not_domain_blocked_by_account. */
  directory: { hiding: BLOCKED | BLOCKS_VIEWER | MUTED, domain: true },
  /** A viewer must find accounts to unblock them. Source: Mastodon AccountSearchService, which filters neither. */
  search: { hiding: 0, domain: true },
  /** Followers, followed accounts, and those who marked a status. */
  page: { hiding: BLOCKED | BLOCKS_VIEWER, domain: false },
  familiar: { hiding: BLOCKED | BLOCKS_VIEWER | MUTED, domain: false },
} as const satisfies Readonly<Record<string, AccountPlace>>;

/** Returns true if the viewer sees the account in the place. */
export function showsAccount(account: StoreAccountRecord, lens: Lens, at: AccountPlace): boolean {
  const bits = lens.bits(account.id);
  if ((bits & at.hiding) !== 0 || !isThere(account) || lens.limits.suspended(account.id, account.domain)) return false;
  return !at.domain || (bits & (OWN | FOLLOWED)) !== 0 || !blocksDomainOf(lens.screen, account);
}

/** Returns true for notifications that only moderators get, whatever their relation to the sender. */
export const isOfDuty = ({ type }: Pick<StoreNotificationRecord, 'type'>): boolean => type.startsWith('admin.');

/**
 * Returns true if the sender of a notification exists for its reader. Moderators see a sign-up that waits for their
 * approval.
 */
export const isSender = ({ type }: Pick<StoreNotificationRecord, 'type'>, account: StoreAccountRecord): boolean =>
  isThere(account) || (type === 'admin.sign_up' && account.confirmed && !isSuspended(account));

/** Returns true if the viewer's relation to the sender allows the notification. */
export const isWelcome = (record: Pick<StoreNotificationRecord, 'type' | 'from'>, lens: Lens): boolean =>
  isOfDuty(record) || (lens.bits(record.from) & ACCOUNT_PLACES.sender.hiding) === 0;
