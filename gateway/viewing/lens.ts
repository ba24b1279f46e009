import type { Clock } from '../../actors/domain/time.js';
import { isMuted, maySee } from '../../actors/domain/visibility.js';
import type { AccountSourceList, AccountSources, StoreStatusRecord } from '../../proto/gen/types.js';
import { type LimitedAccounts, NOBODY_LIMITED } from './account-limits.js';
import type { KnownRelation } from './relations.js';
import { isReadable } from './screen.js';

/** What the decisions need of a status; rows of timelines carry it, too. */
export type Audience = Pick<
  StoreStatusRecord,
  'accountId' | 'visibility' | 'inReplyToId' | 'inReplyToAccountId' | 'reblogOfId' | 'reblogOfAccountId'
> & {
  readonly mentions: readonly { readonly accountId: string }[];
  /** Absent where they are not known. */
  readonly tags?: readonly string[];
  readonly language?: string | undefined;
};

interface ListRule {
  readonly members: ReadonlySet<string>;
  readonly repliesPolicy: string;
}

type Languages = ReadonlyMap<string, ReadonlySet<string>>;
const unlimited: Languages = new Map();

/** What somebody is to the viewer, as bits: one look into one map for each author of a page. */
const FOLLOWED = 1;
const REBLOGS = 2;
const BLOCKED = 4;
const BLOCKS_VIEWER = 8;
/** Perhaps not any more: mutes end. */
const MUTED = 16;
/** A member of a list that keeps them out of the home timeline. */
const ELSEWHERE = 32;
/** Asked to follow, without an answer yet. */
const REQUESTED = 64;

/** By the bits that follows and blocks have; no look makes an object. */
const RELATIONS: readonly KnownRelation[] = Array.from({ length: MUTED }, (_, bits) => ({
  following: (bits & FOLLOWED) !== 0,
  blocking: (bits & BLOCKED) !== 0,
  blockedBy: (bits & BLOCKS_VIEWER) !== 0,
  muting: false,
  mutingNotifications: false,
}));

/**
 * A viewer's relations as of one version of them: whom they follow, who is blocked in either direction, who is muted,
 * and their lists. Mutes are judged by the time of each look.
 */
export class Lens {
  readonly #viewer: string;
  readonly #standing = new Map<string, number>();
  /** Whom was last asked for, and what was found: follows and blocks of a lens never change. */
  #asked = '';
  #found = 0;
  readonly #muted: ReadonlyMap<string, { readonly untilMs: number; readonly notifications: boolean }>;
  readonly #lists: ReadonlyMap<string, ListRule>;
  readonly #tags: ReadonlySet<string>;
  /** Hashtags whose statuses come to the viewer. */
  readonly followedTags: readonly string[];
  readonly #mutedConversations: ReadonlySet<string>;
  /** Of follows limited to some. */
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

  /** Whose statuses come to the viewer: their own, and those of everyone followed. */
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

  /** Whose statuses come to one of the viewer's lists; nobody's where there is no such list. */
  listAuthors(listId: string): string[] {
    return [...(this.#lists.get(listId)?.members ?? [])].filter((id) => this.hears(id));
  }

  /** As the account's actor would answer. */
  relation(account: string): KnownRelation {
    const bits = this.#of(account);
    const known = RELATIONS[bits & (MUTED - 1)] as KnownRelation;
    if ((bits & MUTED) === 0 || !this.#mutes(account)) return known;
    return { ...known, muting: true, mutingNotifications: this.#muted.get(account)?.notifications === true };
  }

  /** What `relation` says of it alone; of many, each asked for once. */
  follows(account: string): boolean {
    return ((this.#standing.get(account) ?? 0) & FOLLOWED) !== 0;
  }

  /** Whether the viewer has anything to do with the account: a follow, also one that waits, a block or a mute. */
  knows(account: string): boolean {
    const bits = this.#of(account);
    if ((bits & (FOLLOWED | REQUESTED | BLOCKED | BLOCKS_VIEWER)) !== 0) return true;
    return (bits & MUTED) !== 0 && this.#mutes(account);
  }

  blocks(account: string): boolean {
    return (this.#of(account) & (BLOCKED | BLOCKS_VIEWER)) !== 0 || this.#limits.suspended(account);
  }

  /** Whether what the account says is not shown: it is blocked in either direction, or muted now. */
  hides(account: string): boolean {
    return this.#hides(account, this.#of(account));
  }

  /** Whether the viewer wants to hear no more of a conversation. */
  mutesConversation(conversation: string): boolean {
    return this.#mutedConversations.size > 0 && this.#mutedConversations.has(conversation);
  }

  /** Whether the viewer is one of those to whom the author's statuses come. */
  hears(author: string): boolean {
    return author === this.#viewer || (this.#of(author) & FOLLOWED) !== 0;
  }

  /** Visible, and by nobody who is blocked or muted. */
  allows(status: Audience): boolean {
    return this.#allows(status, this.#of(status.accountId));
  }

  /**
   * The same among everybody's statuses: who is silenced speaks there to their followers only, and nothing mentions
   * somebody whom the viewer blocks or mutes. Source: Mastodon's streaming server.
   */
  overhears(status: Audience): boolean {
    if (!this.allows(status)) return false;
    if (this.#limits.silenced(status.accountId) && !this.hears(status.accountId)) return false;
    return !status.mentions.some(({ accountId }) => this.#refuses(accountId));
  }

  /** Whether a new status belongs in the viewer's home timeline, as the timeline itself decides when it is read. */
  home(status: Audience): boolean {
    if (this.#tags.size > 0 && this.tagged(status)) return true;
    const bits = this.#of(status.accountId);
    if (!this.#comes(status, bits)) return false;
    if (status.accountId === this.#viewer) return true;
    if ((bits & ELSEWHERE) !== 0) return false;
    const answered = answeredOther(status);
    return answered === undefined || (answered !== 'unknown' && this.hears(answered));
  }

  /** Whether it comes by a followed hashtag, from whomever. Source: Mastodon FeedManager#filter_from_tags?. */
  tagged(status: Audience): boolean {
    if (status.visibility !== 'public' || status.reblogOfId !== undefined) return false;
    if (status.tags?.some((name) => this.#tags.has(name)) !== true || this.hides(status.accountId)) return false;
    return !status.mentions.some((mention) => this.hides(mention.accountId));
  }

  /** The same for one of the viewer's lists. Source: Mastodon FeedManager#filter_from_list?. */
  list(listId: string, status: Audience): boolean {
    const list = this.#lists.get(listId);
    if (list === undefined || !list.members.has(status.accountId)) return false;
    if (status.visibility === 'direct' || !this.#comes(status, this.#of(status.accountId))) return false;
    const answered = answeredOther(status);
    if (answered === undefined || answered === this.#viewer) return true;
    if (answered === 'unknown' || !this.hears(answered)) return false;
    return list.repliesPolicy === 'followed' || (list.repliesPolicy === 'list' && list.members.has(answered));
  }

  /** Whether something of this author may have been shown in the list. */
  listed(listId: string, author: string): boolean {
    return this.#lists.get(listId)?.members.has(author) === true && this.hears(author);
  }

  /** What comes to the viewer at all, be it into the home timeline or a list. `bits`: what its author is to them. */
  #comes(status: Audience, bits: number): boolean {
    const isOwn = status.accountId === this.#viewer;
    if ((!isOwn && (bits & FOLLOWED) === 0) || !this.#allows(status, bits)) return false;
    if (isOwn) return true;
    for (const { accountId } of status.mentions) if (this.hides(accountId)) return false;
    if (this.#languages.size > 0 && !isReadable(this.#languages, status)) return false;
    return status.reblogOfId === undefined || (bits & REBLOGS) !== 0;
  }

  #allows(status: Audience, bits: number): boolean {
    const { accountId, reblogOfAccountId } = status;
    if (this.#hides(accountId, bits)) return false;
    if (reblogOfAccountId !== undefined && this.hides(reblogOfAccountId)) return false;
    const relation = RELATIONS[accountId === this.#viewer || (bits & FOLLOWED) !== 0 ? FOLLOWED : 0];
    return maySee(status, this.#viewer, relation);
  }

  /** One status is judged by several questions, each of which asks for its author. */
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

  /** Returns true when the viewer blocks or mutes the account. Being blocked by it does not count. */
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

/** Whom a reply answers, unless that is its own author; `unknown` when whom it answered is gone. */
function answeredOther({ accountId, inReplyToId, inReplyToAccountId }: Audience): string | undefined {
  if (inReplyToId === undefined || inReplyToAccountId === accountId) return undefined;
  return inReplyToAccountId ?? 'unknown';
}
