import type { StoreAccountRecord, StoreNotificationRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { isHeardOf, isOfDuty, isThere } from '../entities/notification/notification.js';
import { type Soon, soon } from '../paging/soon.js';
import { loadAccounts, type People } from '../viewing/people-at-hand.js';
import type { ReadServices } from '../viewing/read-services.js';
import type { Relations } from '../viewing/relations.js';

interface Sender {
  readonly account: StoreAccountRecord;
  /** Of what moderators are told it does not count. */
  readonly isHeard: boolean;
}

/** Whom notifications come from, each judged once for a page: a few people make most of its rows. */
export class Senders implements People {
  readonly #services: ReadServices;
  readonly #relations: Relations;
  /** Null: there is none. */
  readonly #known = new Map<string, Sender | null>();

  constructor(services: ReadServices, relations: Relations) {
    this.#services = services;
    this.#relations = relations;
  }

  /** Somebody of whom it was asked already. */
  get(id: string): StoreAccountRecord | undefined {
    return this.#known.get(id)?.account;
  }

  /** Whoever was asked of, and whether the viewer is told of what they did. */
  all(): Map<string, boolean> {
    const all = new Map<string, boolean>();
    for (const [id, sender] of this.#known) all.set(id, sender?.isHeard === true);
    return all;
  }

  /** Null where the viewer is not told of what they did; undefined: they have to be loaded first. */
  of(record: StoreNotificationRecord): StoreAccountRecord | null | undefined {
    const sender = this.#sender(record.from);
    if (sender === undefined || sender === null) return sender;
    return sender.isHeard || isOfDuty(record) ? sender.account : null;
  }

  /** Whether the viewer is told of what they do; undefined: they have to be loaded first. */
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
    return this.#known.get(id) ?? this.#atHand(id);
  }

  #atHand(id: string): Sender | null | undefined {
    if (this.#known.has(id)) return null;
    const account = this.#services.tables.peekId?.(accounts, id);
    return account && this.#add(id, account);
  }

  #add(id: string, account: StoreAccountRecord | undefined): Sender | null {
    const sender =
      account !== undefined && isThere(account) ? { account, isHeard: isHeardOf(account, this.#relations) } : null;
    this.#known.set(id, sender);
    return sender;
  }
}
