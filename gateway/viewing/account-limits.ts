import type { Clock } from '../../actors/domain/time.js';
import type { StoreAccountLimit } from '../../proto/gen/types.js';
import type { CachedTables, WrittenRow } from '../../store/cache/cached-tables.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { accountLimits } from '../../store/tables.js';

/** Whom moderators have limited, answered at once: it is asked for each status of each page. */
export interface LimitedAccounts {
  suspended(account: string): boolean;
  silenced(account: string): boolean;
}

/** For where there are no moderators. */
export const NOBODY_LIMITED: LimitedAccounts = { suspended: () => false, silenced: () => false };

/** When the store could not be read, all are read again so much later; what was known holds meanwhile. */
const AGAIN_MS = 1_000;

/** All limited accounts of the instance in memory, kept in step with what is written, here and elsewhere. */
export class AccountLimits implements LimitedAccounts {
  readonly #tables: Pick<CachedTables, 'range' | 'get'>;
  #suspended: ReadonlySet<string> = new Set();
  #silenced: ReadonlySet<string> = new Set();
  /** Changes come one after the other. */
  #order: Promise<void> = Promise.resolve();
  /** Changes whose rows are being read. */
  #unread = 0;
  /** All will be read again. */
  #isDue = false;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #failed: (error: unknown) => void;

  private constructor(tables: CachedTables, clock: Pick<Clock, 'after'>, failed: (error: unknown) => void) {
    this.#tables = tables;
    this.#clock = clock;
    this.#failed = failed;
    tables.onChanged((rows) => this.#changed(rows?.filter(({ table }) => table === accountLimits.name)));
  }

  /**
   * @param failed told each time that they could not be read anew
   * @throws Unavailable when the store cannot answer the first time
   */
  static async open(
    tables: CachedTables,
    clock: Pick<Clock, 'after'>,
    failed: (error: unknown) => void,
  ): Promise<AccountLimits> {
    const limits = new AccountLimits(tables, clock, failed);
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

  #changed(rows: readonly WrittenRow[] | undefined): void {
    if (rows?.length === 0) return;
    // What is told with its value holds from now on, and not a read later: who decided it is answered before that.
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
