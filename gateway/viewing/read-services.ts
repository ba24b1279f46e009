import type { AccountCommands } from '../../actors/account/commands.js';
import type { Problem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { TypedAnswerNow, TypedAsk } from '../../actors/runtime/kind.js';
import type { PublicRing } from '../../actors/timelines/public-ring.js';
import type { ReadTables } from '../../store/port.js';
import type { Soon } from '../paging/soon.js';
import type { InstanceSettings } from '../settings/settings.js';
import type { LimitedAccounts } from './account-limits.js';
import type { Lenses } from './lenses.js';

/** What it takes to find what a viewer may see, and to show it. */
export interface ReadServices {
  readonly instance: InstanceSettings;
  readonly askAccount: TypedAsk<AccountCommands>;
  /** What an account says at once to a query, if it can. */
  readonly accountNow: TypedAnswerNow<AccountCommands>;
  /** Viewers' relations, as of now. */
  readonly lenses: Lenses;
  /** The newest public statuses' ids. */
  readonly publicRing: Pick<PublicRing, 'read'>;
  readonly tables: ReadTables;
  /** Whom moderators have limited. */
  readonly limits: LimitedAccounts;
  readonly clock: Clock;
  /** The time that ids carry (actors/runtime/placement/stamp-clock.ts): positions in streams are compared with it. */
  readonly idClock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
}

/** An account's reply to a query: at once where it lives here and nothing goes on there. @throws Unavailable */
export function askSoon<K extends keyof AccountCommands & string>(
  { accountNow, askAccount }: Pick<ReadServices, 'accountNow' | 'askAccount'>,
  account: string,
  query: K,
  input: AccountCommands[K]['in'],
): Soon<AccountCommands[K]['out'] | Problem> {
  return accountNow(account, query, input) ?? askAccount(account, query, input);
}
