import { maySee, type Relation } from '../../actors/domain/visibility.js';
import type { AccountSources, StoreStatusRecord } from '../../proto/gen/types.js';

/** What the decisions need of a status; rows of timelines carry it, too. */
export type Audience = Pick<
  StoreStatusRecord,
  'accountId' | 'visibility' | 'inReplyToId' | 'inReplyToAccountId' | 'reblogOfId' | 'reblogOfAccountId'
> & { readonly mentions: readonly { readonly accountId: string }[] };

/** A viewer's relations as of one moment: whom they follow, and who is blocked in either direction. */
export class Lens {
  readonly #viewer: string;
  readonly #following: ReadonlyMap<string, boolean>;
  readonly #blocked: ReadonlySet<string>;

  constructor(viewer: string, sources: AccountSources) {
    this.#viewer = viewer;
    const accepted = sources.following.filter((edge) => !edge.pending);
    this.#following = new Map(accepted.map((edge) => [edge.target, edge.reblogs]));
    this.#blocked = new Set(sources.blocked);
  }

  /** Whose statuses come to the viewer: their own, and those of everyone followed. */
  get authors(): string[] {
    return [this.#viewer, ...[...this.#following.keys()].filter((id) => id !== this.#viewer)];
  }

  blocks(account: string): boolean {
    return this.#blocked.has(account);
  }

  /** Whether the viewer is one of those to whom the author's statuses come. */
  hears(author: string): boolean {
    return author === this.#viewer || this.#following.has(author);
  }

  /** Visible, and by nobody who is blocked. */
  allows(status: Audience): boolean {
    if (this.#blocked.has(status.accountId)) return false;
    if (status.reblogOfAccountId !== undefined && this.#blocked.has(status.reblogOfAccountId)) return false;
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
    if (!this.hears(status.accountId) || !this.allows(status)) return false;
    if (status.accountId === this.#viewer) return true;
    if (status.reblogOfId !== undefined) return this.#following.get(status.accountId) === true;
    if (status.inReplyToId === undefined) return true;
    const answered = status.inReplyToAccountId;
    return answered !== undefined && (answered === status.accountId || this.hears(answered));
  }
}

/** Whether a status belongs in public timelines: public, no reblog, no reply to someone else. */
export function isPublicStatus(status: StoreStatusRecord): boolean {
  if (status.visibility !== 'public' || status.reblogOfId !== undefined) return false;
  return status.inReplyToId === undefined || status.inReplyToAccountId === status.accountId;
}
