import type { Person } from '../scenarios/cluster/people.js';

/** A post in the state of its author's last acknowledged request. */
export interface LedgerPost {
  readonly author: string;
  readonly number: number;
  readonly id: string;
  /** Time of the acknowledgement, ISO format. */
  readonly at: string;
  /** Increases with each acknowledged edit. */
  version: number;
  deleted: boolean;
}

/**
 * Everything that the server has acknowledged. Each person sends one request after another and repeats it until it is
 * answered, so the ledger holds the one state that the server must show.
 */
export class Ledger {
  readonly posts: LedgerPost[] = [];
  /** `person status` of each favourite. */
  readonly favourites = new Set<string>();
  /** `person followed` of each follow. */
  readonly follows = new Set<string>();
  readonly validTokens: string[] = [];
  readonly revokedTokens: string[] = [];
  /** Answers that broke a promise, or that no client should get. */
  readonly faults: string[] = [];
  acknowledged = 0;

  textOf(post: LedgerPost): string {
    return textOf(post.author, post.number, post.version);
  }

  postsOf(person: Person): LedgerPost[] {
    return this.posts.filter((post) => post.author === person.id);
  }
}

export function textOf(author: string, number: number, version: number): string {
  return `post ${number} of ${author} version ${version}`;
}
