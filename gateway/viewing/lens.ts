import type { Clock } from '../../actors/domain/time.js';
import { isMuted, maySee } from '../../actors/domain/visibility.js';
import type { AccountSourceList, AccountSources, StoreStatusRecord } from '../../proto/gen/types.js';
import { type LimitedAccounts, NOBODY_LIMITED } from './account-limits.js';
import type { KnownRelation } from './relations.js';
import { isReadable } from './screen.js';

/** Properties of a status on which visibility depends; rows of timelines contain them, too. */
export type StatusAudience = Pick<
  StoreStatusRecord,
  'accountId' | 'visibility' | 'inReplyToId' | 'inReplyToAccountId' | 'reblogOfId' | 'reblogOfAccountId'
> & {
  readonly mentions: readonly { readonly accountId: string }[];
  /** Absent if unknown. */
  readonly tags?: readonly string[];
  readonly language?: string | undefined;
};

interface ListRule {
  readonly members: ReadonlySet<string>;
  readonly repliesPolicy: string;
}

type Languages = ReadonlyMap<string, ReadonlySet<string>>;
const unlimited: Languages = new Map();

/** Relations of an account to the viewer as bits: one look-up for each author of a page. */
const FOLLOWED = 1;
const REBLOGS = 2;
const BLOCKED = 4;
const BLOCKS_VIEWER = 8;
/** A mute that may have ended already. */
const MUTED = 16;
/** Member of an exclusive list, which keeps its members out of the home timeline. */
const ELSEWHERE = 32;
/** A follow request without an answer. */
const REQUESTED = 64;

/** Relations indexed by their bit flags, preallocated so that a lookup does not allocate. */
const RELATIONS: readonly KnownRelation[] = Array.from({ length: MUTED }, (_, bits) => ({
  following: (bits & FOLLOWED) !== 0,
  blocking: (bits & BLOCKED) !== 0,
  blockedBy: (bits & BLOCKS_VIEWER) !== 0,
  muting: false,
  mutingNotifications: false,
}));

/**
 * A viewer's relations as of one version: follows, blocks in both directions, mutes and lists. Each call checks if a
 * mute has ended.
 */
export class Lens {
  readonly #viewer: string;
  readonly #standing = new Map<string, number>();
  /** Last account looked up, and its bits. Follows and blocks of a lens never change. */
  #asked = '';
  #found = 0;
  readonly #muted: ReadonlyMap<string, { readonly untilMs: number; readonly notifications: boolean }>;
  readonly #lists: ReadonlyMap<string, ListRule>;
  readonly #tags: ReadonlySet<string>;
  /** Hashtags whose statuses the viewer receives. */
  readonly followedTags: readonly string[];
  readonly #mutedConversations: ReadonlySet<string>;
  /** Languages of follows that are limited to some. */
  readonly #languages: Languages;
  readonly #clock: Pick<Clock, 'nowMs'>;

  readonly #limits: LimitedAccounts;

  constructor(
    viewer: string,
    sources: AccountSources,
    clock: Pick<Clock, 'nowMs'>,
    limits: LimitedAccounts = NOBODY_LIMITED,
    languages: Languages = unlimited,
  ) {
    this.#limits = limits;
    this.#languages = languages;
    this.#viewer = viewer;
    this.#clock = clock;
    this.#muted = new Map(sources.muted.map((mute) => [mute.account, mute]));
    this.#mutedConversations = new Set(sources.mutedConversations);
    this.#lists = new Map(sources.lists.map((list) => [list.id, ruleOf(list)]));
    this.#tags = new Set(sources.tags);
    this.followedTags = [...this.#tags];
    const add = (account: string, bits: number) =>
      void this.#standing.set(account, (this.#standing.get(account) ?? 0) | bits);
    for (const { target, pending, reblogs } of sources.following) {
      add(target, pending ? REQUESTED : reblogs ? FOLLOWED | REBLOGS : FOLLOWED);
    }
    for (const account of sources.blocked) add(account, BLOCKED);
    for (const account of sources.blockedBy) add(account, BLOCKS_VIEWER);
    for (const { account } of sources.muted) add(account, MUTED);
    for (const { exclusive, members } of sources.lists) {
      if (exclusive) for (const account of members) add(account, ELSEWHERE);
    }
  }

  /** Accounts whose statuses the viewer receives: the viewer and all followed accounts. */
  get authors(): string[] {
    const authors = [this.#viewer];
    for (const [account, bits] of this.#standing) {
      if ((bits & FOLLOWED) !== 0 && account !== this.#viewer) authors.push(account);
    }
    return authors;
  }

  followsTag(name: string): boolean {
    return this.#tags.has(name);
  }

  hasList(listId: string): boolean {
    return this.#lists.has(listId);
  }

  /** Returns the accounts whose statuses a list receives; none if there is no such list. */
  listAuthors(listId: string): string[] {
    return [...(this.#lists.get(listId)?.members ?? [])].filter((id) => this.hears(id));
  }

  /** Returns the relation, as the account's actor would. */
  relation(account: string): KnownRelation {
    const bits = this.#of(account);
    const known = RELATIONS[bits & (MUTED - 1)] as KnownRelation;
    if ((bits & MUTED) === 0 || !this.#mutes(account)) return known;
    return { ...known, muting: true, mutingNotifications: this.#muted.get(account)?.notifications === true };
  }

  /**
   * Returns true if the viewer follows the account. Skips the last-account cache of `relation`, for calls with many
   * different accounts.
   */
  follows(account: string): boolean {
    return ((this.#standing.get(account) ?? 0) & FOLLOWED) !== 0;
  }

  /** Returns true if the viewer has a relation to the account: a follow or follow request, a block or a mute. */
  knows(account: string): boolean {
    const bits = this.#of(account);
    if ((bits & (FOLLOWED | REQUESTED | BLOCKED | BLOCKS_VIEWER)) !== 0) return true;
    return (bits & MUTED) !== 0 && this.#mutes(account);
  }

  blocks(account: string): boolean {
    return (this.#of(account) & (BLOCKED | BLOCKS_VIEWER)) !== 0 || this.#limits.suspended(account);
  }

  /** Returns true if statuses of the account are hidden: it is blocked in either direction, muted now, or suspended. */
  hides(account: string): boolean {
    return this.#hides(account, this.#of(account));
  }

  /** Returns true if the viewer has muted the conversation. */
  mutesConversation(conversation: string): boolean {
    return this.#mutedConversations.size > 0 && this.#mutedConversations.has(conversation);
  }

  /** Returns true if the viewer receives the author's statuses. */
  hears(author: string): boolean {
    return author === this.#viewer || (this.#of(author) & FOLLOWED) !== 0;
  }

  /** Returns true if the status is visible to the viewer and its authors are neither blocked nor muted. */
  allows(status: StatusAudience): boolean {
    return this.#allows(status, this.#of(status.accountId));
  }

  /**
   * Returns true if the status may appear to the viewer in public timelines. Silenced accounts appear only to their
   * followers, and a status must not mention an account that the viewer blocks or mutes. Source: Mastodon's streaming
   * server.
   */
  overhears(status: StatusAudience): boolean {
    if (!this.allows(status)) return false;
    if (this.#limits.silenced(status.accountId) && !this.hears(status.accountId)) return false;
    return !status.mentions.some(({ accountId }) => this.#refuses(accountId));
  }

  /** Returns true if a new status belongs in the viewer's home timeline. A read of the timeline decides equally. */
  home(status: StatusAudience): boolean {
    if (this.#tags.size > 0 && this.tagged(status)) return true;
    const bits = this.#of(status.accountId);
    if (!this.#comes(status, bits)) return false;
    if (status.accountId === this.#viewer) return true;
    if ((bits & ELSEWHERE) !== 0) return false;
    const answered = answeredOther(status);
    return answered === undefined || (answered !== 'unknown' && this.hears(answered));
  }

  /**
   * Returns true if the status has a followed hashtag, from any author. Source: Mastodon FeedManager#filter_from_tags?.
   */
  tagged(status: StatusAudience): boolean {
    if (status.visibility !== 'public' || status.reblogOfId !== undefined) return false;
    if (status.tags?.some((name) => this.#tags.has(name)) !== true || this.hides(status.accountId)) return false;
    return !status.mentions.some((mention) => this.hides(mention.accountId));
  }

  /**
   * Returns true if a new status belongs in one of the viewer's lists. Source: Mastodon FeedManager#filter_from_list?.
   */
  list(listId: string, status: StatusAudience): boolean {
    const list = this.#lists.get(listId);
    if (list === undefined || !list.members.has(status.accountId)) return false;
    if (status.visibility === 'direct' || !this.#comes(status, this.#of(status.accountId))) return false;
    const answered = answeredOther(status);
    if (answered === undefined || answered === this.#viewer) return true;
    if (answered === 'unknown' || !this.hears(answered)) return false;
    return list.repliesPolicy === 'followed' || (list.repliesPolicy === 'list' && list.members.has(answered));
  }

  /** Returns true if the list may contain statuses of this author. */
  listed(listId: string, author: string): boolean {
    return this.#lists.get(listId)?.members.has(author) === true && this.hears(author);
  }

  /**
   * Returns true if the viewer receives the status, in the home timeline or a list. `bits` is the relation to its
   * author.
   */
  #comes(status: StatusAudience, bits: number): boolean {
    const isOwn = status.accountId === this.#viewer;
    if ((!isOwn && (bits & FOLLOWED) === 0) || !this.#allows(status, bits)) return false;
    if (isOwn) return true;
    for (const { accountId } of status.mentions) if (this.hides(accountId)) return false;
    if (this.#languages.size > 0 && !isReadable(this.#languages, status)) return false;
    return status.reblogOfId === undefined || (bits & REBLOGS) !== 0;
  }

  #allows(status: StatusAudience, bits: number): boolean {
    const { accountId, reblogOfAccountId } = status;
    if (this.#hides(accountId, bits)) return false;
    if (reblogOfAccountId !== undefined && this.hides(reblogOfAccountId)) return false;
    const relation = RELATIONS[accountId === this.#viewer || (bits & FOLLOWED) !== 0 ? FOLLOWED : 0];
    return maySee(status, this.#viewer, relation);
  }

  /**
   * Returns the relation bits of an account. Caches the last one, because several checks of one status look up its
   * author.
   */
  #of(account: string): number {
    if (account === this.#asked) return this.#found;
    this.#asked = account;
    this.#found = this.#standing.get(account) ?? 0;
    return this.#found;
  }

  #hides(account: string, bits: number): boolean {
    if ((bits & (BLOCKED | BLOCKS_VIEWER)) !== 0 || ((bits & MUTED) !== 0 && this.#mutes(account))) return true;
    return this.#limits.suspended(account);
  }

  /** Returns true if the viewer blocks or mutes the account. A block by the account does not count. */
  #refuses(account: string): boolean {
    const bits = this.#standing.get(account) ?? 0;
    return (bits & BLOCKED) !== 0 || ((bits & MUTED) !== 0 && this.#mutes(account));
  }

  #mutes(account: string): boolean {
    return isMuted(this.#muted.get(account)?.untilMs, this.#clock.nowMs());
  }
}

function ruleOf({ members, repliesPolicy }: AccountSourceList): ListRule {
  return { members: new Set(members), repliesPolicy };
}

/** Returns the account that a reply answers, unless it is the author. Returns `unknown` if that account is deleted. */
function answeredOther({ accountId, inReplyToId, inReplyToAccountId }: StatusAudience): string | undefined {
  if (inReplyToId === undefined || inReplyToAccountId === accountId) return undefined;
  return inReplyToAccountId ?? 'unknown';
}
