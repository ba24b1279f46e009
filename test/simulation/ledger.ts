/** A status whose author received an answer. */
export interface Posted {
  readonly author: string;
  readonly number: number;
  readonly id: string;
  readonly conversation: string;
  /** The quoted status, if its author permitted the quote. */
  readonly quoted?: string | undefined;
  /** Accounts that it mentions. */
  readonly mentions: readonly string[];
  /** True for a post sent while the author waited for another answer: the two are unordered. */
  readonly beside?: boolean;
}

/** A poll whose author received an answer. */
interface AskedPoll {
  readonly author: string;
  readonly id: string;
  readonly conversation: string;
}

/** A list whose owner received an answer. */
interface Made {
  readonly owner: string;
  readonly title: string;
  readonly id: string;
}

/** A status that its author asked to be scheduled. */
export interface Planned {
  readonly account: string;
  /** No other status has it. */
  readonly text: string;
  /** Undefined until the author received an answer. */
  id: string | undefined;
  /** Possible due times: the acknowledged one first, then that of a change without an answer. */
  dueMs: number[];
  /** Knowledge about whether it was taken back. */
  taken: Known;
  /** True while the author may change it: it was not published, and every request about it was answered. */
  isOpen: boolean;
}

/** The clients' knowledge: yes and no are answers, unknown is none (the request may or may not have happened). */
export type Known = 'yes' | 'no' | 'unknown';

/** The clients' knowledge at the end of a run; the cluster must agree. */
export class Ledger {
  posts: Posted[] = [];
  /** Lists whose creation was acknowledged. */
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
  /** Knowledge about deletions, by id. Deleted statuses are no longer among the posts. */
  readonly deleted = new Map<string, Known>();
  /** Possible texts of a status, by id: the last acknowledged text, and later ones without an answer. */
  readonly edits = new Map<string, string[]>();
  /** Ids of quoting statuses whose quote was revoked. */
  readonly revoked = new Map<string, Known>();
  readonly polls: AskedPoll[] = [];
  /** `account|status`: the option that the account votes for, at each try. */
  readonly votes = new Map<string, { readonly choice: number; readonly known: Known }>();
  /** `account|status` */
  readonly pins = new Map<string, Known>();
  /** Keyed by the hash; `no` once the revocation was acknowledged. */
  readonly tokens = new Map<string, { readonly account: string; readonly known: Known }>();
  /** In the order of requests, those of all accounts. */
  readonly plans: Planned[] = [];
  asked = 0;
  answered = 0;
}
