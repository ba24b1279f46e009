import type { AccountCommands } from '../actors/account/commands.js';
import { isProblem } from '../actors/domain/problem.js';
import type { Clock } from '../actors/domain/time.js';
import type { TypedAsk } from '../actors/runtime/kind.js';
import { Filters } from './filters.js';

/** What, besides relations, changes how others' statuses are shown to a viewer. Most viewers have none. */
export interface Screen {
  readonly filters: Filters | undefined;
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
  const { filters } = screen;
  const size = filters.reduce((sum, { keywords, statuses }) => sum + 8 + 8 * keywords.length + statuses.length, 0);
  return { filters: filters.length === 0 ? undefined : new Filters(filters, clock), size };
}
