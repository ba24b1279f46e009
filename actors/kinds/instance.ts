import { blockLists } from '../instance/block-lists.js';
import type { InstanceCommands, InstanceEvents, InstanceState } from '../instance/commands.js';
import { emoji } from '../instance/emoji.js';
import { entries } from '../instance/entries.js';
import { mint } from '../instance/mint.js';
import { relays } from '../instance/relays.js';
import { instanceTotals } from '../instance/totals.js';
import { instanceReactions } from '../reactions/instance.js';
import type { RelayContext } from '../reactions/relays.js';
import type { ActorKind } from '../runtime/kind.js';
import { joined } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';

export const initialInstance = (): InstanceState => ({ entries: new LazyMap(), emoji: new LazyMap(), keptDay: -1 });

/** The kind of the only actor that represents the instance and its settings. `federation`: needed to reach relays. */
export function instanceKind(federation?: RelayContext): ActorKind<InstanceState, InstanceCommands, InstanceEvents> {
  return {
    name: 'instance',
    initial: initialInstance,
    ...joined([entries, relays, blockLists, emoji, mint, instanceTotals]),
    stateVersion: 3,
    reactions: instanceReactions(federation),
  };
}
