/** Counters since the start. Status pages read them; only the runtime writes them. */
export interface RuntimeMetrics {
  /** Commands delivered to actors of this node. */
  asks: number;
  /** Commands sent to other nodes. */
  remoteAsks: number;
  /** Journal writes; each holds one or more entries. */
  appends: number;
  entries: number;
  /** Activations in memory. */
  activations: number;
  /** Activations with unfinished effects, or whose finished effects are not recorded in the store yet. */
  unsettled: number;
  activated: number;
  passivated: number;
  /** The highest fill level of any mailbox. */
  mailboxHighWater: number;
  /** Commands refused because a mailbox was full. */
  overflows: number;
  /** Commands of effects that were repeats. */
  repeats: number;
  /** Activations stopped by a bug. */
  crashes: number;
  /** Messages from the bus that could not be decoded. */
  malformed: number;
}

export function newMetrics(): RuntimeMetrics {
  return {
    asks: 0,
    remoteAsks: 0,
    appends: 0,
    entries: 0,
    activations: 0,
    unsettled: 0,
    activated: 0,
    passivated: 0,
    mailboxHighWater: 0,
    overflows: 0,
    repeats: 0,
    crashes: 0,
    malformed: 0,
  };
}
