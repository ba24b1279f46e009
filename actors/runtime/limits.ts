/** Commands waiting for one actor; past it callers are told Unavailable at once. Some 1 KiB each, so 256 KiB an actor. */
export const MAILBOX_MAX = 256;
/** Commands decided and appended together: a batch of 64 posts stays below Cassandra's 50 KiB warning threshold. */
export const BATCH_MAX = 64;
/** Activations held in memory: a fresh conversation takes 5 KiB with its status, an account some more; 100 to 200 MiB. */
export const ACTIVATIONS_MAX = 20_000;
/** Entries that wait in memory for one lane; what comes after is read from the journal again. */
export const LANE_QUEUE_MAX = 256;
/** Backlogged shards scanned, and actors activated from the backlog, at a time. */
export const SCAN_CONCURRENCY_MAX = 16;
/** Shards looked at again at a time: in no hurry, beside the work of clients. */
export const RESCAN_CONCURRENCY_MAX = 2;
/** Activations that leave together when shards are released: each mostly waits for the store. */
export const RELEASE_CONCURRENCY_MAX = 64;
/** Snapshots from earlier owners that wait for their shard to arrive here. */
export const PRIMED_MAX = 10_000;
/** Effect sources that one actor remembers for deduplication. */
export const SOURCES_MAX = 1_024;
/** Answers to commands with a key that one actor remembers: more than anyone posts in ANSWERED_MS under the usual rate limits. */
export const ANSWERED_MAX = 1_000;
/** Their keys and replies together: that many of what statuses take, with room for longer keys. */
export const ANSWERED_BYTES_MAX = 262_144;
/** How long a repeated key is answered with the first reply. Source: Mastodon PostStatusService, one hour. */
export const ANSWERED_MS = 3_600_000;

/** What a runtime bounds itself by; tests shrink them. All times in milliseconds of the injected clock. */
export interface RuntimeLimits {
  readonly mailboxMax: number;
  readonly batchMax: number;
  readonly activationsMax: number;
  readonly laneQueueMax: number;
  readonly primedMax: number;
  /** Journal entries between two snapshots: what an activation replays at most, unless snapshots fail. */
  readonly snapshotEvery: number;
  /** An actor that leaves memory has a snapshot written if it would save replaying as many entries as this. */
  readonly snapshotWorth: number;
  /** Entries done between two saves of a busy lane's cursor: what a new owner repeats at most. */
  readonly cursorEvery: number;
  /** An activation without messages for this long leaves memory. */
  readonly idleMs: number;
  /** Lanes at rest for this long: the cursor is saved and the backlog row removed. */
  readonly quietMs: number;
  /**
   * A new actor that is at rest with one entry after this long leaves memory: most statuses hear nothing more. Some
   * thousand of them a second are then no matter for `activationsMax`, and the cursors of many still go together.
   */
  readonly fleetingMs: number;
  /** How long a reply waits for its before-reply effects; what it says is durable by then. */
  readonly patienceMs: number;
  /** How long a released activation waits for its effects; the next owner does the rest. */
  readonly releaseMs: number;
  /** Between two looks through the backlog of all shards held: what lands late is found by then. */
  readonly rescanMs: number;
  /** One attempt of a command that may be repeated; shorter than a takeover, so that the next owner is found. */
  readonly attemptMs: number;
  /** A bus that has been down for longer is not waited for: a server that was restarted is back by then. */
  readonly busPatienceMs: number;
}

export const defaultLimits: RuntimeLimits = {
  mailboxMax: MAILBOX_MAX,
  batchMax: BATCH_MAX,
  activationsMax: ACTIVATIONS_MAX,
  laneQueueMax: LANE_QUEUE_MAX,
  primedMax: PRIMED_MAX,
  snapshotEvery: 200,
  snapshotWorth: 20,
  cursorEvery: 100,
  idleMs: 600_000,
  quietMs: 3_000,
  fleetingMs: 500,
  patienceMs: 5_000,
  releaseMs: 1_000,
  rescanMs: 60_000,
  attemptMs: 3_000,
  busPatienceMs: 5_000,
};
