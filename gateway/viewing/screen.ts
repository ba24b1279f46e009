import type { AccountCommands } from '../../actors/account/slices.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { TypedAsk } from '../../actors/runtime/kind.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { Filters } from './filters.js';

/** A viewer's settings besides relations that change how statuses are shown. Most viewers have none. */
export interface Screen {
  readonly filters: Filters | undefined;
  /** Servers that the viewer blocks. */
  readonly domains: ReadonlySet<string> | undefined;
  /** Languages that follows are limited to, by followed account. */
  readonly languages: ReadonlyMap<string, ReadonlySet<string>>;
  /** Memory of the screen, in edges of a lens. */
  readonly size: number;
}

/** Loads the screen from the viewer's actor. @throws Unavailable when the actor cannot be reached */
export async function loadScreen(
  ask: TypedAsk<AccountCommands>,
  viewer: string,
  clock: Pick<Clock, 'nowMs'>,
): Promise<Screen> {
  const screen = await ask(viewer, 'screen', {});
  if (isProblem(screen)) throw new Error(`failed to read filters: the account refused the query: ${screen.detail}`);
  const { filters, domains } = screen;
  const languages = new Map(screen.languages.map((limit) => [limit.target, new Set(limit.languages)]));
  const size = filters.reduce((sum, { keywords, statuses }) => sum + 8 + 8 * keywords.length + statuses.length, 0);
  return {
    filters: filters.length === 0 ? undefined : new Filters(filters, clock),
    domains: domains.length === 0 ? undefined : new Set(domains),
    languages,
    size: size + domains.length + 4 * languages.size,
  };
}

/** Returns true if the viewer has blocked the account's server. */
export function blocksDomainOf(screen: Screen | undefined, account: StoreAccountRecord | undefined): boolean {
  return screen?.domains !== undefined && account !== undefined && screen.domains.has(account.domain);
}

/** Returns true if the status is in a language of the viewer's follow of its author. A follow need not be limited. */
export function isReadable(
  languages: Screen['languages'] | undefined,
  { accountId, language }: { readonly accountId: string; readonly language?: string | undefined },
): boolean {
  const wanted = languages?.get(accountId);
  return wanted === undefined || !language || wanted.has(language.split('-', 1)[0] ?? language);
}
