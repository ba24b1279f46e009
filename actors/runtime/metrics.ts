/** Counts since the start; read by status pages, written by the runtime only. */
export interface RuntimeMetrics {
  /** Commands delivered to actors of this node. */
  asks: number;
  /** Commands sent to other nodes. */
  remoteAsks: number;
  /** Journal writes; each holds one or more entries. */
  appends: number;
  entries: number;
  /** Activations in memory now. */
  activations: number;
  /** Those of them that owe effects, or whose store does not know yet that they are done. */
  unsettled: number;
  activated: number;
  passivated: number;
  /** The fullest that any mailbox has been. */
  mailboxHighWater: number;
  /** Commands refused because a mailbox was full. */
  overflows: number;
  /** Effects' commands that had already been carried out. */
  repeats: number;
  /** Activations stopped by a bug. */
  crashes: number;
  /** Messages from the bus that could not be read. */
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
