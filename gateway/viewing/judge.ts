import { maySee } from '../../actors/domain/visibility.js';
import type { StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import { type FilterContext, type FilterMatch, isDropped } from './filters.js';
import {
  BLOCKED,
  BLOCKS_VIEWER,
  ELSEWHERE,
  FOLLOWED,
  type Lens,
  MUTED,
  NOTIFICATIONS_MUTED,
  OWN,
  REBLOGS,
  relationOf,
} from './lens.js';
import type { People } from './people-at-hand.js';
import { withoutRejected } from './rejected-media.js';
import { blocksDomainOf, isReadable } from './screen.js';
import type { SeenQuote, VisibleStatus } from './visible-status.js';

/** Reasons to hide a status. Sources are parts of Mastodon. */
const RULES = {
  deleted: 1,
  /** The author, or their server, is suspended. Source: Status.without_suspended. */
  suspended: 2,
  /** The viewer is not among the readers, or the author blocks the viewer: `maySee`. Source: StatusPolicy#show?. */
  visibility: 4,
  /** The viewer blocks the author. Source: Status.not_excluded_by_account, FeedManager, StatusFilter. */
  blocked: 8,
  /** The viewer blocks the author of the reblogged status. Source: AccountStatusesFilter. */
  blockedOriginal: 16,
  /** The viewer mutes the author. Source: as for `blocked`. */
  muted: 32,
  /** The author, or their server, is silenced, and the viewer does not follow them. Source: PublicFeed, the streaming server. */
  silenced: 64,
  /** The viewer blocks the author's server, and does not follow them. Source: Status.not_domain_blocked_by_account. */
  domain: 128,
  /** The viewer blocks the server of the reblogged author, even if they follow them. Source: filter_from_home. */
  reblogDomain: 256,
  /** It mentions an account that the viewer blocks or mutes. Source: filter_from_home, the streaming server. */
  mentions: 512,
  /** The viewer does not follow the author. Own statuses pass this rule, those below, and with them `mentions`. */
  unfollowed: 1024,
  /** The follow excludes its language or reblogs, or it answers a stranger. Source: filter_from_home. */
  follow: 2048,
  /** The author is in an exclusive list. Source: filter_from_home. */
  exclusive: 4096,
  /** No reason, but an exception to the three before: a followed hashtag. Source: filter_from_tags?. */
  tags: 8192,
} as const;

const READ = ['deleted', 'suspended', 'visibility'] as const;
const CHOSEN = ['blocked', 'muted', 'mentions', 'domain', 'reblogDomain', 'unfollowed', 'follow'] as const;
/** Rules for a deleted status that a stream may have shown, by earlier relations. */
const WAS = ['suspended', 'visibility', 'blocked', 'muted'] as const;

/**
 * The table: the rules of each place, and the context of the viewer's filters. A filter that hides drops statuses in the
 * contexts home and notifications; elsewhere clients hide them. Without a context all filters apply.
 */
export const PLACES = {
  /** One status by its id; favourites, bookmarks, reports. */
  single: place(undefined, ...READ),
  /** Status to quote, quotes of a status, last status of a notification request. */
  quote: place(undefined, ...READ, 'blocked'),
  profile: place('account', ...READ, 'blockedOriginal'),
  /** Ancestors, descendants, conversations, direct statuses. */
  thread: place('thread', ...READ, 'blocked', 'muted', 'domain'),
  /** Statuses outside the viewer's library must pass `isFindable`, too. */
  search: place(undefined, ...READ, 'blocked', 'muted', 'domain'),
  /** Public timelines, hashtags, links, trends. */
  public: place('public', ...READ, 'blocked', 'muted', 'silenced', 'domain'),
  publicStream: place('public', ...READ, 'blocked', 'muted', 'silenced', 'domain', 'mentions'),
  /** The sender must be shown (judge-accounts.ts), and the talk not be unwanted, too. */
  notification: place('notifications', ...READ, 'blocked', 'domain'),
  /** The old timeline of mentions. */
  mention: place('notifications', ...READ, 'blocked', 'muted', 'domain'),
  home: place('home', ...READ, ...CHOSEN, 'exclusive', 'tags'),
  list: place('home', ...READ, ...CHOSEN),
  /** An event that is rendered once for all subscribers, each of whom is judged afterwards. */
  broadcast: place(undefined, 'deleted', 'suspended'),
  wasPublic: place(undefined, ...WAS, 'silenced', 'mentions'),
  wasHome: place(undefined, ...WAS, 'unfollowed', 'tags'),
  wasList: place(undefined, ...WAS, 'unfollowed'),
  wasReblogged: place(undefined, ...WAS),
} as const;

/** A place where statuses are shown. */
export interface Place {
  readonly context: FilterContext | undefined;
  /** Bits of RULES. */
  readonly rules: number;
  /** Relations that hide an author, as bits of a lens. */
  readonly authors: number;
  /** Relations that hide the author of a reblogged status. */
  readonly originals: number;
  /** The viewer's list, if the place is one. */
  readonly list: string | undefined;
}

function place(context: FilterContext | undefined, ...names: readonly (keyof typeof RULES)[]): Place {
  let rules = 0;
  for (const name of names) rules |= RULES[name];
  let authors = rules & RULES.visibility ? BLOCKS_VIEWER : 0;
  if (rules & RULES.blocked) authors |= BLOCKED;
  if (rules & RULES.muted) authors |= MUTED;
  const originals = rules & RULES.blockedOriginal ? authors | BLOCKED : authors;
  return Object.freeze({ context, rules, authors, originals, list: undefined });
}

/** Returns the place of one of the viewer's lists. */
export const inList = (list: string, row: Place = PLACES.list): Place => Object.freeze({ ...row, list });

/** Properties of a status on which visibility depends; rows of timelines contain them, too. */
export type StatusAudience = Pick<
  StoreStatusRecord,
  'accountId' | 'visibility' | 'inReplyToId' | 'inReplyToAccountId' | 'reblogOfId' | 'reblogOfAccountId'
> & {
  readonly mentions: readonly { readonly accountId: string }[];
  readonly deleted?: boolean;
  /** Absent if unknown. */
  readonly tags?: readonly string[];
  readonly language?: string | undefined;
  /** Absent for local statuses, or if unknown. */
  readonly domain?: string | undefined;
};

/**
 * Returns true if the viewer sees the status in the place, by relations alone. `judged` also applies blocked servers
 * and filters. `original` is the reblogged status; if it is not loaded, only its author is judged.
 */
export function judge(status: StatusAudience, original: StatusAudience | undefined, lens: Lens, at: Place): boolean {
  const author = lens.bits(status.accountId);
  if (isHidden(status.accountId, status.domain, author, at.authors, lens, at) || !isOpen(status, author, lens, at))
    return false;
  const by = original === undefined ? status.reblogOfAccountId : original.accountId;
  if (by !== undefined) {
    const bits = lens.bits(by);
    if (isHidden(by, original?.domain, bits, at.originals, lens, at)) return false;
    if (original !== undefined && !isOpen(original, bits, lens, at)) return false;
  }
  if ((at.rules & RULES.unfollowed) !== 0) return arrives(status, author, lens, at);
  return (at.rules & RULES.mentions) === 0 || !mentionsUnwanted(status, lens);
}

function isHidden(
  account: string,
  domain: string | undefined,
  bits: number,
  hiding: number,
  { limits }: Lens,
  { rules }: Place,
): boolean {
  if ((bits & hiding) !== 0 || ((rules & RULES.suspended) !== 0 && limits.suspended(account, domain))) return true;
  return (rules & RULES.silenced) !== 0 && (bits & (OWN | FOLLOWED)) === 0 && limits.silenced(account, domain);
}

function isOpen(status: StatusAudience, author: number, { viewer }: Lens, { rules }: Place): boolean {
  if ((rules & RULES.deleted) !== 0 && status.deleted === true) return false;
  return (rules & RULES.visibility) === 0 || maySee(status, viewer, relationOf(author));
}

/** Decides on home and lists, which receive the statuses of the viewer and of followed accounts. */
function arrives(status: StatusAudience, author: number, lens: Lens, { rules, list }: Place): boolean {
  if ((author & OWN) === 0) {
    if ((rules & RULES.mentions) !== 0 && mentionsUnwanted(status, lens)) return false;
    if ((rules & RULES.tags) !== 0 && hasFollowedTag(status, lens)) return true;
    if ((author & FOLLOWED) === 0 || ((rules & RULES.exclusive) !== 0 && (author & ELSEWHERE) !== 0)) return false;
    if ((rules & RULES.follow) !== 0) {
      if (status.reblogOfId !== undefined && (author & REBLOGS) === 0) return false;
      if (!isReadable(lens.screen?.languages, status)) return false;
      if (list === undefined && !isKnown(answeredOther(status), lens)) return false;
    }
  }
  return list === undefined || isForList(status, lens, list, (rules & RULES.follow) !== 0);
}

/** Source: Mastodon FeedManager#filter_from_list?. */
function isForList(status: StatusAudience, lens: Lens, list: string, strict: boolean): boolean {
  const rule = lens.listOf(list);
  if (rule === undefined || !rule.members.has(status.accountId)) return false;
  if (!strict) return true;
  if (status.visibility === 'direct') return false;
  const answered = answeredOther(status);
  if (answered === undefined || answered === lens.viewer) return true;
  if (!isKnown(answered, lens)) return false;
  return rule.repliesPolicy === 'followed' || (rule.repliesPolicy === 'list' && rule.members.has(answered));
}

/** Returns the account that a reply answers, unless it is the author. Returns `unknown` if that account is deleted. */
function answeredOther({ accountId, inReplyToId, inReplyToAccountId }: StatusAudience): string | undefined {
  if (inReplyToId === undefined || inReplyToAccountId === accountId) return undefined;
  return inReplyToAccountId ?? 'unknown';
}

const isKnown = (answered: string | undefined, lens: Lens): boolean => answered === undefined || lens.hears(answered);

function hasFollowedTag({ visibility, reblogOfId, tags }: StatusAudience, lens: Lens): boolean {
  if (lens.followedTags.length === 0 || visibility !== 'public' || reblogOfId !== undefined) return false;
  return tags?.some((name) => lens.followsTag(name)) === true;
}

function mentionsUnwanted({ mentions }: StatusAudience, lens: Lens): boolean {
  for (const { accountId } of mentions) if ((lens.bits(accountId) & (BLOCKED | MUTED)) !== 0) return true;
  return false;
}

/**
 * Returns a status as the viewer sees it in the place; undefined if they do not. The original of a reblog must be
 * loaded. `people` are needed if the viewer blocks servers.
 */
export function judged(
  stored: StoreStatusRecord,
  storedOriginal: StoreStatusRecord | undefined,
  lens: Lens,
  at: Place,
  people: People | undefined,
): VisibleStatus | undefined {
  if (stored.reblogOfId !== undefined && storedOriginal === undefined) return undefined;
  if (!judge(stored, storedOriginal, lens, at)) return undefined;
  const { screen, limits } = lens;
  const record = withoutRejected(stored, limits.domains);
  const original = storedOriginal && withoutRejected(storedOriginal, limits.domains);
  if (screen === undefined) return seen(record, original, undefined, undefined);
  const shown = original ?? record;
  if (people !== undefined && (at.rules & RULES.domain) !== 0) {
    const isChosen = (lens.bits(shown.accountId) & (OWN | FOLLOWED)) !== 0;
    const isExempt = isChosen && (original === undefined || (at.rules & RULES.reblogDomain) === 0);
    if (!isExempt && blocksDomainOf(screen, people.get(shown.accountId))) return undefined;
  }
  const matches = screen.filters?.matches(shown, at.context);
  if (matches === undefined || matches.length === 0) return seen(record, original, undefined, undefined);
  if (isDropped(matches, at.context) && record.accountId !== lens.viewer) return undefined;
  return seen(record, original, matches, undefined);
}

/**
 * Returns `accepted`, or the reason why the quote of a status is shown differently. An `unauthorized` quote shows
 * nothing. Source: Mastodon REST::BaseQuoteSerializer, state.
 */
export function quoteState(quoted: StoreStatusRecord, author: StoreAccountRecord | undefined, lens: Lens): string {
  const bits = lens.bits(quoted.accountId);
  if (author === undefined || lens.limits.suspended(quoted.accountId, quoted.domain)) return 'unauthorized';
  if (!isOpen(quoted, bits, lens, PLACES.single)) return 'unauthorized';
  if ((bits & OWN) !== 0) return 'accepted';
  if ((bits & BLOCKED) !== 0) return 'blocked_account';
  if ((bits & FOLLOWED) === 0 && blocksDomainOf(lens.screen, author)) return 'blocked_domain';
  return (bits & MUTED) === 0 ? 'accepted' : 'muted_account';
}

/** Returns true if a search may find the status of another author, outside the viewer's library. */
export function isFindable(
  { visibility, accountId, domain }: StoreStatusRecord,
  author: StoreAccountRecord | undefined,
  lens: Lens,
): boolean {
  if (visibility !== 'public' || author?.profile?.indexable !== true) return false;
  return lens.follows(accountId) || !lens.limits.silenced(accountId, domain);
}

/**
 * Returns true for a notification about a status that does not call the viewer: a new status in a language that the
 * follow excludes, or a mention in a reply to, or together with, an account that the viewer blocks or whose
 * notifications the viewer mutes. Source: Mastodon FeedManager, filter_from_mentions?.
 */
export function isUnwantedTalk(type: string, status: StoreStatusRecord, lens: Lens): boolean {
  if (type === 'status') return !isReadable(lens.screen?.languages, status);
  if (type !== 'mention') return false;
  const isUnwanted = (account: string) => (lens.bits(account) & (BLOCKED | NOTIFICATIONS_MUTED)) !== 0;
  if (status.inReplyToAccountId && isUnwanted(status.inReplyToAccountId)) return true;
  return status.mentions.length > 1 && status.mentions.some(({ accountId }) => isUnwanted(accountId));
}

/** The only constructor. The object is written out, because spreading is slow in V8. */
function seen(
  record: StoreStatusRecord,
  original: StoreStatusRecord | undefined,
  filtered: readonly FilterMatch[] | undefined,
  quote: SeenQuote | undefined,
): VisibleStatus {
  return { record, original, filtered, quote } as VisibleStatus;
}

/** Returns the status with its quote. */
export const withQuote = ({ record, original, filtered }: VisibleStatus, quote: SeenQuote | undefined): VisibleStatus =>
  seen(record, original, filtered, quote);

/** Returns a status that another one quotes, whose quote state shows it. */
export const quotedStatus = (
  record: StoreStatusRecord,
  matches: readonly FilterMatch[],
  quote: SeenQuote | undefined,
): VisibleStatus => seen(record, undefined, matches.length > 0 ? matches : undefined, quote);

/**
 * Returns a status without its content: the answer to a viewer who undoes a mark on a status that they may no longer
 * see.
 */
export function withoutContent(record: StoreStatusRecord): VisibleStatus {
  const blank = { text: '', html: '', spoilerText: '', mentions: [], tags: [], appName: undefined, quote: undefined };
  return seen({ ...record, ...blank, favourites: 0, reblogs: 0, replies: 0 }, undefined, undefined, undefined);
}

/** Returns a status that a moderator reviews, whatever its visibility; undefined if it is deleted. */
export const forModerators = (record: StoreStatusRecord): VisibleStatus | undefined =>
  record.deleted ? undefined : seen(record, undefined, undefined, undefined);
