import { instanceReactions } from '../reactions/instance.js';
import type { ActorKind } from '../runtime/kind.js';
import type { InstanceCommands, InstanceEvents, InstanceState } from './commands.js';
import { emoji } from './emoji.js';
import { entries } from './entries.js';

export const initialInstance = (): InstanceState => ({ entries: new Map(), emoji: new Map() });

/** The kind of the one actor that stands for the instance: what its people have set, all slices as one. */
export function instanceKind(): ActorKind<InstanceState, InstanceCommands, InstanceEvents> {
  return {
    name: 'instance',
    initial: initialInstance,
    slice: {
      decide: { ...entries.decide, ...emoji.decide },
      apply: { ...entries.apply, ...emoji.apply },
    },
    commands: { ...entries.commands, ...emoji.commands },
    events: { ...entries.events, ...emoji.events },
    takeAway: ['entryPut', 'entryRemoved'],
    stateVersion: 1,
    reactions: instanceReactions,
  };
}
