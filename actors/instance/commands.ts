import type * as emoji from './emoji.js';
import type * as entries from './entries.js';
import type * as mint from './mint.js';
import type * as totals from './totals.js';

/** Everything one can ask of the instance's actor. */
export interface InstanceCommands extends entries.Commands, emoji.Commands, mint.Commands, totals.Commands {}
/** Everything that its journal holds. */
export interface InstanceEvents extends entries.Events, emoji.Events, totals.Events {}
export interface InstanceState extends emoji.State, totals.State {}

/** There is one of it in a cluster: ids begin long after this one. */
export const INSTANCE_ID = '000000000000000001';
