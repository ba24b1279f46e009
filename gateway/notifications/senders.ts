import type { StoreAccountRecord, StoreNotificationRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { type Soon, soon } from '../paging/soon.js';
import { ACCOUNT_PLACES, isOfDuty, isSender, showsAccount } from '../viewing/judge-accounts.js';
import type { Lens } from '../viewing/lens.js';
import { loadAccounts, type People } from '../viewing/people-at-hand.js';
import type { ReadServices } from '../viewing/read-services.js';

interface Sender {
  readonly account: StoreAccountRecord;
  /** True if the viewer receives the sender's notifications. Notifications to moderators ignore it. */
  readonly isHeard: boolean;
}

/** Senders of notifications, each checked once for a page: a few accounts cause most of its rows. */
export class Senders implements People {
  readonly #services: ReadServices;
  readonly #lens: Lens;
  /** Null: the account does not exist. */
  readonly #cache = new Map<string, Sender | null>();

  constructor(services: ReadServices, lens: Lens) {
    this.#services = services;
    this.#lens = lens;
  }

  /** Returns the account of a sender that was looked up before. */
  get(id: string): StoreAccountRecord | undefined {
    return this.#cache.get(id)?.account;
  }

  /** Returns all senders that were looked up, and whether the viewer receives their notifications. */
  all(): Map<string, boolean> {
    const all = new Map<string, boolean>();
    for (const [id, sender] of this.#cache) all.set(id, sender?.isHeard === true);
    return all;
  }

  /**
   * Returns the sender; null if the viewer does not receive the notification, undefined if the account must be loaded
   * first.
   */
  of(record: StoreNotificationRecord): StoreAccountRecord | null | undefined {
    const sender = this.#sender(record.from);
    if (sender === undefined || sender === null) return sender;
    const isWanted = sender.isHeard || isOfDuty(record);
    return isWanted && isSender(record, sender.account) ? sender.account : null;
  }

  /** Returns true if the viewer receives the account's notifications; undefined if the account must be loaded first. */
  hears(id: string): boolean | undefined {
    const sender = this.#sender(id);
    return sender === undefined ? undefined : sender?.isHeard === true;
  }

  load(ids: readonly string[]): Soon<void> {
    return soon(loadAccounts(this.#services, ids), (found) => {
      for (const id of ids) this.#add(id, found.get(id));
    });
  }

  #sender(id: string): Sender | null | undefined {
    return this.#cache.get(id) ?? this.#atHand(id);
  }

  #atHand(id: string): Sender | null | undefined {
    if (this.#cache.has(id)) return null;
    const account = this.#services.tables.peekId?.(accounts, id);
    return account && this.#add(id, account);
  }

  #add(id: string, account: StoreAccountRecord | undefined): Sender | null {
    const sender =
      account === undefined ? null : { account, isHeard: showsAccount(account, this.#lens, ACCOUNT_PLACES.sender) };
    this.#cache.set(id, sender);
    return sender;
  }
}
