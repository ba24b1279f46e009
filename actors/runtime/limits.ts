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
/**
 * Snapshots from earlier owners that wait for their actor to be asked; the oldest give way. Memory that nobody may ever
 * use: some ten thousand of the usual 5 KiB fit.
 */
export const PRIMED_BYTES_MAX = 67_108_864;
/** The largest state that goes to the next owner directly, in one message; it reads a larger one from the store. */
export const WARM_BYTES_MAX = 1_048_576;
/**
 * Entries between two snapshots at least. Source: some 6,000 entries a second are replayed on a busy machine, so these
 * take 30 ms; one row of a snapshot for 200 of the journal costs next to nothing.
 */
export const SNAPSHOT_ENTRIES_MIN = 200;
/** Entries between two snapshots at most, however large the state: they are replayed in about a second. */
export const SNAPSHOT_ENTRIES_MAX = 5_000;
/** Effect sources that one actor remembers for deduplication. */
export const SOURCES_MAX = 1_024;
/** Answers to commands with a key that one actor remembers: 300 requests in five minutes, the usual rate limit, for ANSWERED_MS. */
export const ANSWERED_MAX = 3_600;
/** Their keys and replies together: that many of what statuses take (some 100 bytes), with room for longer keys. */
export const ANSWERED_BYTES_MAX = 943_718;
/** How long a repeated key is answered with the first reply. Source: Mastodon PostStatusService, one hour. */
export const ANSWERED_MS = 3_600_000;

/**
 * Entries that a trim of a journal removes at least. Each trim leaves a range tombstone in Cassandra, so ten for a
 * bucket of the journal, and reads the latest snapshot back.
 */
export const TRIM_ENTRIES_MIN = 1_000;

/** What a runtime bounds itself by; tests shrink them. All times in milliseconds of the injected clock. */
export interface RuntimeLimits {
  readonly mailboxMax: number;
  readonly batchMax: number;
  readonly activationsMax: number;
  readonly laneQueueMax: number;
  readonly primedBytesMax: number;
  /**
   * From so many entries after a snapshot on, the next one is taken once these have as many bytes as it: so snapshots
   * write no more than journals do.
   */
  readonly snapshotEntriesMin: number;
  /** After so many entries it is taken whatever their bytes. An activation replays no more, unless snapshots fail. */
  readonly snapshotEntriesMax: number;
  /** The value of `snapshotEntriesMin` for an actor that leaves memory: its next activation replays first. */
  readonly snapshotWorth: number;
  /** A journal is trimmed once so many entries can go. */
  readonly trimEntriesMin: number;
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
  primedBytesMax: PRIMED_BYTES_MAX,
  snapshotEntriesMin: SNAPSHOT_ENTRIES_MIN,
  snapshotEntriesMax: SNAPSHOT_ENTRIES_MAX,
  snapshotWorth: 20,
  trimEntriesMin: TRIM_ENTRIES_MIN,
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
