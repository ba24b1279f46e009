import { instanceReactions } from '../reactions/instance.js';
import type { ActorKind } from '../runtime/kind.js';
import type { InstanceCommands, InstanceEvents, InstanceState } from './commands.js';
import { emoji } from './emoji.js';
import { entries } from './entries.js';
import { mint } from './mint.js';
import { instanceTotals } from './totals.js';

export const initialInstance = (): InstanceState => ({ entries: new Map(), emoji: new Map(), keptDay: -1 });

/** The kind of the one actor that stands for the instance: what its people have set, all slices as one. */
export function instanceKind(): ActorKind<InstanceState, InstanceCommands, InstanceEvents> {
  return {
    name: 'instance',
    initial: initialInstance,
    slice: {
      decide: { ...entries.decide, ...emoji.decide, ...mint.decide, ...instanceTotals.decide },
      apply: { ...entries.apply, ...emoji.apply, ...instanceTotals.apply },
    },
    commands: { ...entries.commands, ...emoji.commands, ...mint.commands, ...instanceTotals.commands },
    events: { ...entries.events, ...emoji.events, ...instanceTotals.events },
    takeAway: ['entryPut', 'entryRemoved'],
    remembered: ['putEntry', 'removeEntry'],
    stateVersion: 2,
    reactions: instanceReactions,
  };
}
