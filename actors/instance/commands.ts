import type * as blockLists from './block-lists.js';
import type * as emoji from './emoji.js';
import type * as entries from './entries.js';
import type * as mint from './mint.js';
import type * as relays from './relays.js';
import type * as totals from './totals.js';

/** All commands of the instance's actor. */
export interface InstanceCommands
  extends entries.Commands,
    relays.Commands,
    blockLists.Commands,
    emoji.Commands,
    mint.Commands,
    totals.Commands {}
/** All events in its journal. */
export interface InstanceEvents extends entries.Events, relays.Events, blockLists.Events, emoji.Events, totals.Events {}
export interface InstanceState extends emoji.State, totals.State {}

/** Id of the only instance actor of a cluster. Minted ids are far above it. */
export const INSTANCE_ID = '000000000000000001';
