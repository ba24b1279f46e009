import type { StoreAccountLimit } from '../../proto/gen/types.js';
import type { CachedTables, WrittenRow } from '../../store/cached-tables.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { accountLimits } from '../../store/tables.js';

/** Whom moderators have limited, answered at once: it is asked for each status of each page. */
export interface LimitedAccounts {
  suspended(account: string): boolean;
  silenced(account: string): boolean;
}

/** For where there are no moderators. */
export const NOBODY_LIMITED: LimitedAccounts = { suspended: () => false, silenced: () => false };

/** All limited accounts of the instance in memory, kept in step with what is written, here and elsewhere. */
export class AccountLimits implements LimitedAccounts {
  readonly #tables: Pick<CachedTables, 'range' | 'get'>;
  #suspended: ReadonlySet<string> = new Set();
  #silenced: ReadonlySet<string> = new Set();
  /** Changes come one after the other. */
  #order: Promise<void> = Promise.resolve();
  readonly #failed: (error: unknown) => void;

  private constructor(tables: CachedTables, failed: (error: unknown) => void) {
    this.#tables = tables;
    this.#failed = failed;
    tables.onChanged((rows) => {
      const isConcerned = rows === undefined || rows.some(({ table }) => table === accountLimits.name);
      if (isConcerned) this.#later(rows);
    });
  }

  /** @throws Unavailable when the store cannot answer */
  static async open(tables: CachedTables, failed: (error: unknown) => void): Promise<AccountLimits> {
    const limits = new AccountLimits(tables, failed);
    await limits.#readAll();
    return limits;
  }

  suspended(account: string): boolean {
    return this.#suspended.size > 0 && this.#suspended.has(account);
  }

  silenced(account: string): boolean {
    return this.#silenced.size > 0 && this.#silenced.has(account);
  }

  /** Resolves when what was written before is known here. */
  settled(): Promise<void> {
    return this.#order;
  }

  #later(rows: readonly WrittenRow[] | undefined): void {
    this.#order = this.#order.then(() => this.#take(rows)).catch(this.#failed);
  }

  async #take(rows: readonly WrittenRow[] | undefined): Promise<void> {
    if (rows === undefined) return this.#readAll();
    for (const { table, key } of rows) {
      const account = key[1];
      if (table !== accountLimits.name || account === undefined) continue;
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
