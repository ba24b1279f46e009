import type { Clock } from '../../actors/domain/time.js';
import { isMuted, type Relation } from '../../actors/domain/visibility.js';
import type { AccountRelation, AccountSourceList, AccountSources } from '../../proto/gen/types.js';
import { type LimitedAccounts, NOBODY_LIMITED } from './account-limits.js';
import type { Screen } from './screen.js';

/** A list of the viewer, as far as it decides about statuses. */
export interface ListRule {
  readonly members: ReadonlySet<string>;
  readonly repliesPolicy: string;
}

/** Relation of the viewer to an account, as the account's actor would report it. */
export type KnownRelation = Relation & Pick<AccountRelation, 'muting' | 'mutingNotifications'>;

/** Relations of an account to the viewer, as bits: one look-up for each author of a page. */
export const FOLLOWED = 1;
/** The viewer's follow includes reblogs. */
export const REBLOGS = 2;
export const BLOCKED = 4;
export const BLOCKS_VIEWER = 8;
export const MUTED = 16;
/** The mute includes notifications. */
export const NOTIFICATIONS_MUTED = 32;
/** Member of an exclusive list, which keeps its members out of the home timeline. */
export const ELSEWHERE = 64;
/** A follow request without an answer. */
const REQUESTED = 128;
/** The viewer's own account. */
export const OWN = 256;

/** Relations indexed by their bit flags, preallocated so that a look-up does not allocate. */
const RELATIONS: readonly KnownRelation[] = Array.from({ length: ELSEWHERE }, (_, bits) => ({
  following: (bits & FOLLOWED) !== 0,
  blocking: (bits & BLOCKED) !== 0,
  blockedBy: (bits & BLOCKS_VIEWER) !== 0,
  muting: (bits & MUTED) !== 0,
  mutingNotifications: (bits & NOTIFICATIONS_MUTED) !== 0,
}));

/** Returns the relation that the bits say. */
export const relationOf = (bits: number): KnownRelation => RELATIONS[bits & (ELSEWHERE - 1)] as KnownRelation;

/** Sources of a viewer without relations. */
export const NO_SOURCES: AccountSources = {
  following: [],
  blocked: [],
  blockedBy: [],
  muted: [],
  lists: [],
  screened: false,
  tags: [],
  mutedConversations: [],
};

/**
 * A viewer's relations and filters as of one version: follows, blocks in both directions, mutes, lists. It contains the
 * data; judge.ts decides by it. Each call checks if a mute has ended.
 */
export class Lens {
  /** Undefined: anonymous. */
  readonly viewer: string | undefined;
  /** Accounts that moderators have limited, as of now. */
  readonly limits: LimitedAccounts;
  /** Present only for viewers who have filters, blocked domains or language limits. */
  readonly screen: Screen | undefined;
  /** Hashtags whose statuses the viewer receives. */
  readonly followedTags: readonly string[];
  readonly #standing = new Map<string, number>();
  readonly #mutedUntilMs: ReadonlyMap<string, number>;
  readonly #lists: ReadonlyMap<string, ListRule>;
  readonly #tags: ReadonlySet<string>;
  readonly #mutedConversations: ReadonlySet<string>;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(
    viewer: string | undefined,
    sources: AccountSources,
    clock: Pick<Clock, 'nowMs'>,
    limits: LimitedAccounts = NOBODY_LIMITED,
    screen?: Screen,
  ) {
    this.viewer = viewer;
    this.limits = limits;
    this.screen = screen;
    this.#clock = clock;
    this.#mutedUntilMs = new Map(sources.muted.map(({ account, untilMs }) => [account, untilMs]));
    this.#mutedConversations = new Set(sources.mutedConversations);
    this.#lists = new Map(sources.lists.map((list) => [list.id, ruleOf(list)]));
    this.#tags = new Set(sources.tags);
    this.followedTags = [...this.#tags];
    const add = (account: string, bits: number) =>
      void this.#standing.set(account, (this.#standing.get(account) ?? 0) | bits);
    if (viewer !== undefined) add(viewer, OWN);
    for (const { target, pending, reblogs } of sources.following) {
      add(target, pending ? REQUESTED : reblogs ? FOLLOWED | REBLOGS : FOLLOWED);
    }
    for (const account of sources.blocked) add(account, BLOCKED);
    for (const account of sources.blockedBy) add(account, BLOCKS_VIEWER);
    for (const { account, notifications } of sources.muted) {
      add(account, notifications ? MUTED | NOTIFICATIONS_MUTED : MUTED);
    }
    for (const { exclusive, members } of sources.lists) {
      if (exclusive) for (const account of members) add(account, ELSEWHERE);
    }
  }

  /** Returns the relation as bits. The bits of a mute that has ended are absent. */
  bits(account: string): number {
    const bits = this.#standing.get(account) ?? 0;
    if ((bits & MUTED) === 0 || isMuted(this.#mutedUntilMs.get(account), this.#clock.nowMs())) return bits;
    return bits & ~(MUTED | NOTIFICATIONS_MUTED);
  }

  relation(account: string): KnownRelation {
    return relationOf(this.bits(account));
  }

  /** Accounts whose statuses the viewer receives: the viewer and all followed accounts. */
  get authors(): string[] {
    const authors: string[] = [];
    for (const [account, bits] of this.#standing) if ((bits & (OWN | FOLLOWED)) !== 0) authors.push(account);
    return authors;
  }

  /** Returns true if the viewer receives the author's statuses. */
  hears(author: string): boolean {
    return ((this.#standing.get(author) ?? 0) & (OWN | FOLLOWED)) !== 0;
  }

  follows(account: string): boolean {
    return ((this.#standing.get(account) ?? 0) & FOLLOWED) !== 0;
  }

  /** Returns true if the viewer has a relation to the account: a follow or follow request, a block or a mute. */
  knows(account: string): boolean {
    return (this.bits(account) & (FOLLOWED | REQUESTED | BLOCKED | BLOCKS_VIEWER | MUTED)) !== 0;
  }

  followsTag(name: string): boolean {
    return this.#tags.has(name);
  }

  /** Returns true if the viewer has muted the conversation. */
  mutesConversation(conversation: string): boolean {
    return this.#mutedConversations.size > 0 && this.#mutedConversations.has(conversation);
  }

  listOf(listId: string): ListRule | undefined {
    return this.#lists.get(listId);
  }

  /** Returns the accounts whose statuses a list receives; none if there is no such list. */
  listAuthors(listId: string): string[] {
    return [...(this.#lists.get(listId)?.members ?? [])].filter((id) => this.hears(id));
  }

  /** Returns true if the list may contain statuses of this author. */
  listed(listId: string, author: string): boolean {
    return this.#lists.get(listId)?.members.has(author) === true && this.hears(author);
  }
}

function ruleOf({ members, repliesPolicy }: AccountSourceList): ListRule {
  return { members: new Set(members), repliesPolicy };
}

/** Lenses of anonymous viewers, one for each record of limits. */
const anonymous = new WeakMap<LimitedAccounts, Lens>();

/** Returns the lens of an anonymous viewer, who has no relations. */
export function anonymousLens(limits: LimitedAccounts): Lens {
  let lens = anonymous.get(limits);
  if (lens === undefined) {
    // There are no mutes, so the time is never read.
    lens = new Lens(undefined, NO_SOURCES, { nowMs: () => 0 }, limits);
    anonymous.set(limits, lens);
  }
  return lens;
}
