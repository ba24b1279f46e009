import type { StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import type { JsonObject } from '../../../transport/federation/bounded-json.js';

/** `gone`: 404, 410, or not usable; `refused`: its server or a policy refuses it; `later`: a repetition may succeed. */
export interface Missing {
  readonly missing: 'gone' | 'refused' | 'later';
}

export const isMissing = (found: object): found is Missing => 'missing' in found;

/** Accounts of other servers. Methods throw Unavailable when the store cannot answer. */
export interface RemotePeople {
  /** Returns the account of an actor that is known here, without a fetch. */
  known(uri: string): Promise<StoreAccountRecord | undefined>;
  /**
   * Returns the account of an actor, which is fetched if it is not known here. One that was fetched more than a day ago
   * is refreshed in the background. `fresh`: fetches it now, at most once in 5 min.
   */
  find(uri: string, options?: { readonly fresh?: boolean }): Promise<StoreAccountRecord | Missing>;
  /** Stores the actor document that a known account has sent, signed by itself. */
  told(document: JsonObject, known: StoreAccountRecord): Promise<StoreAccountRecord | Missing>;
  /** Returns the account `username@domain`. Its name counts only if WebFinger of that domain leads to the actor. */
  named(username: string, domain: string): Promise<StoreAccountRecord | Missing>;
  /** Returns a public key and its owner, who is fetched if not known. `fresh`: after a signature did not match. */
  publicPem(
    keyId: string,
    options?: { readonly fresh?: boolean },
  ): Promise<{ readonly pem: string; readonly owner: StoreAccountRecord } | Missing>;
}

/** A status of another server that is stored here. */
export interface KnownStatus {
  readonly id: string;
  readonly conversationId: string;
  readonly accountId: string;
}

/**
 * `settled`: the quote of a status is shown or not, as far as it is proven. `needs-fetch`: something must be fetched
 * first. `later`: it cannot be fetched now.
 */
export type QuoteProof = 'settled' | 'needs-fetch' | 'later';

/** Statuses of other servers. Methods throw Unavailable when the store or an actor cannot answer. */
export interface RemoteNotes {
  /** Returns the status of this address, local or remote, without a fetch. */
  known(uri: string): Promise<KnownStatus | undefined>;
  /**
   * Returns the status or the account of an address, which may be that of its page. It is fetched if it is not known
   * here.
   */
  resolve(uri: string): Promise<KnownStatus | StoreAccountRecord | Missing>;
  /** Returns the status of this address, which is fetched if it is not known here, and its parents too. */
  find(uri: string): Promise<KnownStatus | Missing>;
  /**
   * Stores a new status of a known author. The caller has asked `authority()`. Durable when it resolves. A repetition
   * returns the same. `irrelevant`: it is no status, or was deleted. `parents`: unknown statuses that it answers are
   * fetched; otherwise the reply begins a thread of its own.
   */
  received(
    note: JsonObject,
    author: StoreAccountRecord,
    options?: { readonly parents?: boolean },
  ): Promise<KnownStatus | Missing | 'irrelevant'>;
  /** Stores a changed version of a status; one that is not newer has no effect. */
  revised(note: JsonObject, author: StoreAccountRecord): Promise<KnownStatus | Missing | 'irrelevant'>;
  /**
   * Looks for the proof that a stored status may quote what its document quotes (FEP-044f). Statuses that `find`
   * fetches need no call.
   */
  proveQuote(
    note: JsonObject,
    author: StoreAccountRecord,
    quoting: KnownStatus,
    options: { readonly mayFetch: boolean },
  ): Promise<QuoteProof>;
  /** Deletes a status of the author, and remembers it: if it arrives later, it is not stored. */
  deleted(uri: string, author: StoreAccountRecord): Promise<void>;
}

/** The search of a thread for answers that are not known here. */
export interface ThreadRefresh {
  readonly id: string;
  readonly isRunning: boolean;
  /** Statuses found so far; undefined if another node knows it. */
  readonly found: number | undefined;
}

/** Completes threads behind the answer to their reader. */
export interface RemoteThreads {
  /**
   * Begins to look for answers to statuses of other servers, unless it was done in the last 15 min. Returns the search
   * while it runs.
   */
  refresh(conversationId: string, shown: readonly StoreStatusRecord[]): ThreadRefresh | undefined;
  /** Returns a search by its id; undefined if it is no id of one. */
  state(id: string): ThreadRefresh | undefined;
}

/** `done`: it is stored. `ignored`: it has no effect. `later`: something cannot be fetched now; the rest is stored. */
export type Taken = 'done' | 'ignored' | 'later';

/**
 * Collections of people of accounts of other servers (FEP-7aa9). An account shows only with its stamp. Methods throw
 * Unavailable when the store or an actor cannot answer. All of them may fetch.
 */
export interface RemoteCollections {
  /** Fetches a collection of an account and stores it. One that is gone is removed. */
  find(uri: string, owner: StoreAccountRecord): Promise<Taken>;
  /** Stores a collection that its owner has signed, or that was fetched at its id. */
  told(document: JsonObject, owner: StoreAccountRecord): Promise<Taken>;
  /** Stores a new place, as the owner has signed it. The collection is fetched if it is not known here. */
  joined(item: JsonObject, collection: string, owner: StoreAccountRecord): Promise<Taken>;
  /** Removes a place from a known collection. */
  parted(place: string, collection: string, owner: StoreAccountRecord): Promise<Taken>;
  /** Removes a collection. */
  forget(uri: string, owner: StoreAccountRecord): Promise<void>;
  /** Stores the collections that an account shows, and removes stored ones that are gone. */
  all(owner: StoreAccountRecord, isOver: () => boolean): Promise<void>;
}

/** Completes profiles behind the answer to their reader. */
export interface RemoteProfiles {
  /** Begins to fetch pinned and latest statuses of an account, unless it was done today. Never throws. */
  complete(account: StoreAccountRecord): void;
}
