import { type DomainPolicies, NO_POLICIES } from '../../actors/domain/servers/domain-policy.js';
import type { Clock } from '../../actors/domain/time.js';
import type { StoreAccountLimit } from '../../proto/gen/types.js';
import type { CachedTables, WrittenRow } from '../../store/cache/cached-tables.js';
import { accountLimits } from '../../store/moderation-tables.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';

/**
 * Accounts and servers that moderators have limited. Answers synchronously, because each status of each page is checked.
 * `domain` is that of the account; absent: this server's, or not known to the caller, who then judges once more.
 */
export interface LimitedAccounts {
  suspended(account: string, domain?: string): boolean;
  silenced(account: string, domain?: string): boolean;
  readonly domains: DomainPolicies;
}

/** Limits of a server without moderators. */
export const NOBODY_LIMITED: LimitedAccounts = {
  suspended: () => false,
  silenced: () => false,
  domains: NO_POLICIES,
};

/** Delay before all limits are read again after a failure of the store. The cached limits stay in use meanwhile. */
const AGAIN_MS = 1_000;

/** All limited accounts of the instance in memory, updated with each write on this and on other nodes. */
export class AccountLimits implements LimitedAccounts {
  readonly domains: DomainPolicies;
  readonly #tables: Pick<CachedTables, 'range' | 'get'>;
  #suspended: ReadonlySet<string> = new Set();
  #silenced: ReadonlySet<string> = new Set();
  /** Chain of reads, so that changes are applied in order. */
  #order: Promise<void> = Promise.resolve();
  /** Number of changes whose rows are being read. */
  #unread = 0;
  /** True if a read of all limits is scheduled. */
  #isDue = false;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #failed: (error: unknown) => void;

  private constructor(
    tables: CachedTables,
    clock: Pick<Clock, 'after'>,
    failed: (error: unknown) => void,
    domains: DomainPolicies,
  ) {
    this.domains = domains;
    this.#tables = tables;
    this.#clock = clock;
    this.#failed = failed;
    tables.onChanged((rows) => this.#changed(rows?.filter(({ table }) => table === accountLimits.name)));
  }

  /**
   * Reads all limits.
   * @param failed called each time that the limits cannot be read again
   * @throws Unavailable when the store cannot answer the first time
   */
  static async open(
    tables: CachedTables,
    clock: Pick<Clock, 'after'>,
    failed: (error: unknown) => void,
    domains: DomainPolicies = NO_POLICIES,
  ): Promise<AccountLimits> {
    const limits = new AccountLimits(tables, clock, failed, domains);
    await limits.#readAll();
    return limits;
  }

  suspended(account: string, domain?: string): boolean {
    if (this.#suspended.size > 0 && this.#suspended.has(account)) return true;
    return domain !== undefined && this.domains.of(domain).suspended;
  }

  silenced(account: string, domain?: string): boolean {
    if (this.#silenced.size > 0 && this.#silenced.has(account)) return true;
    return domain !== undefined && this.domains.of(domain).silenced;
  }

  /** Resolves when all earlier writes are applied here. */
  settled(): Promise<void> {
    return this.#order;
  }

  #changed(rows: readonly WrittenRow[] | undefined): void {
    if (rows?.length === 0) return;
    // A change that carries its value takes effect at once, without a read, before the moderator's request is answered.
    if (this.#unread === 0 && rows?.every(({ now }) => now !== undefined) === true) {
      for (const { key, now } of rows) this.#set(key[1] ?? '', now?.value as StoreAccountLimit | undefined);
      return;
    }
    this.#readNext(rows);
  }

  #readNext(rows: readonly WrittenRow[] | undefined): void {
    this.#unread += 1;
    const read = this.#order.then(() => this.#read(rows)).catch((error: unknown) => this.#readLater(error));
    this.#order = read.then(() => {
      this.#unread -= 1;
    });
  }

  #readLater(error: unknown): void {
    this.#failed(error);
    if (this.#isDue) return;
    this.#isDue = true;
    this.#clock.after(AGAIN_MS, () => {
      this.#isDue = false;
      this.#readNext(undefined);
    });
  }

  async #read(rows: readonly WrittenRow[] | undefined): Promise<void> {
    if (rows === undefined) return this.#readAll();
    for (const { key } of rows) {
      const account = key[1] ?? '';
      this.#set(account, await this.#tables.get(accountLimits, { century: 0, account }));
    }
  }

  #set(account: string, limit: StoreAccountLimit | undefined): void {
    this.#suspended = changed(this.#suspended, account, limit?.suspended === true);
    this.#silenced = changed(this.#silenced, account, limit?.silenced === true);
  }

  async #readAll(): Promise<void> {
    const suspended = new Set<string>();
    const silenced = new Set<string>();
    for (let after = '0'; ; ) {
      const range = { after: { account: after }, limit: RANGE_LIMIT_MAX };
      const rows = await this.#tables.range(accountLimits, { century: 0 }, range);
      for (const { key, value } of rows) {
        if (value.suspended) suspended.add(key.account);
        if (value.silenced) silenced.add(key.account);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < RANGE_LIMIT_MAX) break;
      after = last.key.account;
    }
    [this.#suspended, this.#silenced] = [suspended, silenced];
  }
}

function changed(all: ReadonlySet<string>, one: string, isIn: boolean): ReadonlySet<string> {
  if (all.has(one) === isIn) return all;
  const next = new Set(all);
  if (isIn) next.add(one);
  else next.delete(one);
  return next;
}
