import type { Clock } from '../../actors/domain/time.js';
import { isMuted, maySee, type Relation } from '../../actors/domain/visibility.js';
import type { AccountSourceList, AccountSources, StoreStatusRecord } from '../../proto/gen/types.js';
import type { KnownRelation } from '../visible.js';

/** What the decisions need of a status; rows of timelines carry it, too. */
export type Audience = Pick<
  StoreStatusRecord,
  'accountId' | 'visibility' | 'inReplyToId' | 'inReplyToAccountId' | 'reblogOfId' | 'reblogOfAccountId'
> & {
  readonly mentions: readonly { readonly accountId: string }[];
  /** Absent where it is not known. */
  readonly tags?: readonly string[];
};

interface ListRule {
  readonly members: ReadonlySet<string>;
  readonly repliesPolicy: string;
}

/**
 * A viewer's relations as of one version of them: whom they follow, who is blocked in either direction, who is muted,
 * and their lists. Mutes are judged by the time of each look.
 */
export class Lens {
  readonly #viewer: string;
  readonly #following: ReadonlyMap<string, boolean>;
  /** In either direction. */
  readonly #blocked: ReadonlySet<string>;
  readonly #blockedBy: ReadonlySet<string>;
  readonly #blocking: ReadonlySet<string>;
  readonly #muted: ReadonlyMap<string, { readonly untilMs: number; readonly notifications: boolean }>;
  readonly #lists: ReadonlyMap<string, ListRule>;
  /** Members of lists that keep them out of the home timeline. */
  readonly #elsewhere: ReadonlySet<string>;
  readonly #tags: ReadonlySet<string>;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(viewer: string, sources: AccountSources, clock: Pick<Clock, 'nowMs'>) {
    this.#viewer = viewer;
    this.#clock = clock;
    const accepted = sources.following.filter((edge) => !edge.pending);
    this.#following = new Map(accepted.map((edge) => [edge.target, edge.reblogs]));
    this.#blockedBy = new Set(sources.blockedBy);
    this.#blocked = new Set([...sources.blocked, ...sources.blockedBy]);
    this.#blocking = new Set(sources.blocked);
    this.#muted = new Map(sources.muted.map((mute) => [mute.account, mute]));
    this.#lists = new Map(sources.lists.map((list) => [list.id, ruleOf(list)]));
    this.#tags = new Set(sources.tags);
    this.#elsewhere = new Set(sources.lists.flatMap(({ exclusive, members }) => (exclusive ? members : [])));
  }

  /** Whose statuses come to the viewer: their own, and those of everyone followed. */
  get authors(): string[] {
    return [this.#viewer, ...[...this.#following.keys()].filter((id) => id !== this.#viewer)];
  }

  /** Hashtags whose statuses come to the viewer. */
  get followedTags(): readonly string[] {
    return [...this.#tags];
  }

  followsTag(name: string): boolean {
    return this.#tags.has(name);
  }

  /** Whose statuses come to one of the viewer's lists; undefined where there is no such list. */
  listAuthors(listId: string): string[] | undefined {
    const members = this.#lists.get(listId)?.members;
    return members && [...members].filter((id) => this.hears(id));
  }

  /** As the account's actor would answer. */
  relation(account: string): KnownRelation {
    const muting = this.#mutes(account);
    return {
      following: this.#following.has(account),
      blocking: this.#blocking.has(account),
      blockedBy: this.#blockedBy.has(account),
      muting,
      mutingNotifications: muting && this.#muted.get(account)?.notifications === true,
    };
  }

  blocks(account: string): boolean {
    return this.#blocked.has(account);
  }

  /** Whether what the account says is not shown: it is blocked in either direction, or muted now. */
  hides(account: string): boolean {
    return this.#blocked.has(account) || this.#mutes(account);
  }

  /** Whether the viewer is one of those to whom the author's statuses come. */
  hears(author: string): boolean {
    return author === this.#viewer || this.#following.has(author);
  }

  /** Visible, and by nobody who is blocked or muted. */
  allows(status: Audience): boolean {
    if (this.hides(status.accountId)) return false;
    if (status.reblogOfAccountId !== undefined && this.hides(status.reblogOfAccountId)) return false;
    const relation: Relation = { following: this.hears(status.accountId), blocking: false, blockedBy: false };
    const seen = {
      accountId: status.accountId,
      visibility: status.visibility,
      mentionIds: status.mentions.map((mention) => mention.accountId),
    };
    return maySee(seen, this.#viewer, relation);
  }

  /** Whether a new status belongs in the viewer's home timeline, as the timeline itself decides when it is read. */
  home(status: Audience): boolean {
    if (this.#tags.size > 0 && this.tagged(status)) return true;
    if (!this.#comes(status)) return false;
    if (status.accountId === this.#viewer) return true;
    if (this.#elsewhere.has(status.accountId)) return false;
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
    if (status.visibility === 'direct' || !this.#comes(status)) return false;
    const answered = answeredOther(status);
    if (answered === undefined || answered === this.#viewer) return true;
    if (answered === 'unknown' || !this.hears(answered)) return false;
    return list.repliesPolicy === 'followed' || (list.repliesPolicy === 'list' && list.members.has(answered));
  }

  /** Whether something of this author may have been shown in the list. */
  listed(listId: string, author: string): boolean {
    return this.#lists.get(listId)?.members.has(author) === true && this.hears(author);
  }

  /** What comes to the viewer at all, be it into the home timeline or a list. */
  #comes(status: Audience): boolean {
    if (!this.hears(status.accountId) || !this.allows(status)) return false;
    if (status.accountId === this.#viewer) return true;
    if (status.mentions.some((mention) => this.hides(mention.accountId))) return false;
    return status.reblogOfId === undefined || this.#following.get(status.accountId) === true;
  }

  #mutes(account: string): boolean {
    return this.#muted.size > 0 && isMuted(this.#muted.get(account)?.untilMs, this.#clock.nowMs());
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
