import type { InstanceCommands, InstanceEvents, InstanceState } from '../instance/commands.js';
import { emoji } from '../instance/emoji.js';
import { entries } from '../instance/entries.js';
import { mint } from '../instance/mint.js';
import { instanceTotals } from '../instance/totals.js';
import { instanceReactions } from '../reactions/instance.js';
import type { ActorKind } from '../runtime/kind.js';
import { joined } from '../runtime/slice.js';

export const initialInstance = (): InstanceState => ({ entries: new Map(), emoji: new Map(), keptDay: -1 });

/** The kind of the only actor that represents the instance and its settings. */
export function instanceKind(): ActorKind<InstanceState, InstanceCommands, InstanceEvents> {
  return {
    name: 'instance',
    initial: initialInstance,
    ...joined([entries, emoji, mint, instanceTotals]),
    stateVersion: 2,
    reactions: instanceReactions,
  };
}
