import type { AccountCommands } from '../../actors/account/commands.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { TypedAsk } from '../../actors/runtime/kind.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { Filters } from './filters.js';

/** What, besides relations, changes how others' statuses are shown to a viewer. Most viewers have none. */
export interface Screen {
  readonly filters: Filters | undefined;
  /** Servers whose people the viewer does not want to see. */
  readonly domains: ReadonlySet<string> | undefined;
  /** Languages that follows are limited to, by whom they are of. */
  readonly languages: ReadonlyMap<string, ReadonlySet<string>>;
  /** What it takes to keep it, in edges of a lens. */
  readonly size: number;
}

/** Asks the viewer's actor. @throws Unavailable when it cannot be asked */
export async function loadScreen(
  ask: TypedAsk<AccountCommands>,
  viewer: string,
  clock: Pick<Clock, 'nowMs'>,
): Promise<Screen> {
  const screen = await ask(viewer, 'screen', {});
  if (isProblem(screen)) throw new Error(`an account refused to say what it filters: ${screen.detail}`);
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

/** Whether the account is of a server that the viewer has blocked. */
export function blocksDomainOf(screen: Screen | undefined, account: StoreAccountRecord | undefined): boolean {
  return screen?.domains !== undefined && account !== undefined && screen.domains.has(account.domain);
}

/** Whether it is in a language in which the viewer follows its author; a follow need not be limited to any. */
export function isReadable(
  languages: Screen['languages'] | undefined,
  { accountId, language }: { readonly accountId: string; readonly language?: string | undefined },
): boolean {
  const wanted = languages?.get(accountId);
  return wanted === undefined || !language || wanted.has(language.split('-', 1)[0] ?? language);
}
