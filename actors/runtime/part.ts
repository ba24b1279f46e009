import type { ActorKind } from './kind.js';
import type { CommandTable, Slice } from './slice.js';

/** A slice with the codecs of its commands and events: all that its one file has to say. */
export type Part<S, C extends CommandTable<C>, E> = Slice<S, C, E> & Pick<ActorKind<S, C, E>, 'commands' | 'events'>;
