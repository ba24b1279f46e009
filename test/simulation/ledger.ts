/** A status whose author got an answer. */
export interface Posted {
  readonly author: string;
  readonly number: number;
  readonly id: string;
  readonly conversation: string;
  /** What it quotes, if that lets it. */
  readonly quoted?: string | undefined;
  /** Accounts that it mentions. */
  readonly mentions: readonly string[];
  /** Posted while the author waited for another answer: in no order with that. */
  readonly beside?: boolean;
}

/** A list whose owner got an answer. */
interface Made {
  readonly owner: string;
  readonly title: string;
  readonly id: string;
}

/** What the clients were told: yes and no are answers, unknown is none (the request may or may not have happened). */
export type Known = 'yes' | 'no' | 'unknown';

/** What clients know at the end of a run; the cluster must agree. */
export class Ledger {
  posts: Posted[] = [];
  /** Lists that somebody was told of. */
  readonly lists: Made[] = [];
  /** `a|b`: a follows b. */
  readonly follows = new Map<string, Known>();
  /** `a|b`: a blocks b. */
  readonly blocks = new Map<string, Known>();
  /** `a|b`: a mutes b. */
  readonly mutes = new Map<string, Known>();
  /** `account|status` */
  readonly favourites = new Map<string, Known>();
  readonly reblogs = new Map<string, Known>();
  readonly bookmarks = new Map<string, Known>();
  /** By id: what the author was told of its deletion. These are no longer among the posts. */
  readonly deleted = new Map<string, Known>();
  /** By id: what the status may say: the text that was acknowledged last, and those behind it without an answer. */
  readonly edits = new Map<string, string[]>();
  /** Ids of quoting statuses whose quote its author took back. */
  readonly revoked = new Map<string, Known>();
  asked = 0;
  answered = 0;
}
