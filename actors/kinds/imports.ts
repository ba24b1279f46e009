import { type Commands, type Events, imports, isRunning, noImports, type State } from '../imports/imports.js';
import { type ImportContext, importReactions } from '../reactions/imports.js';
import type { ActorKind } from '../runtime/kind.js';

/**
 * The kind of actor that imports one account's lists and has that account's id. It is separate from the account, to
 * which its steps send commands.
 */
export function importsKind(around: ImportContext): ActorKind<State, Commands, Events> {
  return {
    name: 'imports',
    initial: noImports,
    ...imports,
    stateVersion: 1,
    leavesWhenDone: ({ jobs }) => [...jobs.values()].every((job) => !isRunning(job) || job.pausedUntilMs > 0),
    reactions: importReactions(around),
  };
}
