import type { AccountCommands } from '../../actors/account/slices.js';
import type { Problem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { TypedAnswerNow, TypedAsk } from '../../actors/runtime/kind.js';
import type { PublicRing } from '../../actors/timelines/public-ring.js';
import type { ReadTables } from '../../store/port.js';
import type { Soon } from '../paging/soon.js';
import type { InstanceSettings } from '../settings/settings.js';
import type { LimitedAccounts } from './account-limits.js';
import type { Lenses } from './lenses.js';

/** Services with which a gateway decides what a viewer may see, and renders it. */
export interface ReadServices {
  readonly instance: InstanceSettings;
  readonly askAccount: TypedAsk<AccountCommands>;
  /** Synchronous answers of account actors, if possible. */
  readonly accountNow: TypedAnswerNow<AccountCommands>;
  /** Current relations of viewers. */
  readonly lenses: Lenses;
  /** Ids of the newest public statuses. */
  readonly publicRing: Pick<PublicRing, 'read'>;
  readonly tables: ReadTables;
  /** Accounts that moderators have limited. */
  readonly limits: LimitedAccounts;
  readonly clock: Clock;
  /** Clock of ids (actors/runtime/placement/stamp-clock.ts), with which positions in streams are compared. */
  readonly idClock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
}

/** Queries an account. The answer comes synchronously if the actor is on this node and idle. @throws Unavailable */
export function askSoon<K extends keyof AccountCommands & string>(
  { accountNow, askAccount }: Pick<ReadServices, 'accountNow' | 'askAccount'>,
  account: string,
  query: K,
  input: AccountCommands[K]['in'],
): Soon<AccountCommands[K]['out'] | Problem> {
  return accountNow(account, query, input) ?? askAccount(account, query, input);
}
