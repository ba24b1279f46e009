import { archive, type Commands, type Events, noArchive, type State } from '../archive/archive.js';
import { type ArchiveContext, archiveReactions } from '../reactions/archive.js';
import type { ActorKind } from '../runtime/kind.js';

/**
 * The kind of actor that builds the archive of one account's data and has that account's id. It is separate from the
 * account, so that no other command waits while everything is read.
 */
export function archiveKind(around: ArchiveContext): ActorKind<State, Commands, Events> {
  return {
    name: 'archive',
    initial: noArchive,
    ...archive,
    stateVersion: 1,
    leavesWhenDone: ({ readyMs }) => readyMs > 0,
    reactions: archiveReactions(around),
  };
}
