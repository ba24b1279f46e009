import type { ActorKind } from './kind.js';
import type { CommandTable, Slice } from './slice.js';

/**
 * A slice with the codecs of its commands and events: all that its one file has to say. `More`: events of other parts
 * that its commands decide along with their own.
 */
export type Part<S, C extends CommandTable<C>, E, More = unknown> = Pick<Slice<S, C, E & More>, 'decide'> &
  Pick<Slice<S, C, E>, 'apply'> &
  Pick<ActorKind<S, C, E>, 'commands' | 'events'>;
