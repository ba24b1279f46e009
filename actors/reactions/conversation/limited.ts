import type { Reaction } from '../../runtime/kind.js';
import { changingCommands } from './changing-commands.js';

/** Returns true when moderators have silenced the account, as far as this node knows. */
export type IsSilenced = (account: string) => boolean;

/** Commands that notify an account of an action by `from`. Its policy may filter silenced accounts. */
const TELLING = new Set(['notify', 'hearDirect']);

/** Wraps a reaction so that its notifications say when they come from a silenced account. */
export function sayingLimits<S, E>(reaction: Reaction<S, E>, isSilenced: IsSilenced): Reaction<S, E> {
  return changingCommands(reaction, (_happened, command, input) => {
    const isOfSilenced = TELLING.has(command) && 'from' in input && isSilenced(String(input.from));
    return isOfSilenced ? { ...input, limited: true } : input;
  });
}
