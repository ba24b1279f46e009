/**
 * Commands that wait for one actor; further ones are refused with Unavailable. A command takes about 1 KiB, so 256 KiB
 * an actor.
 */
export const MAILBOX_MAX = 256;
/** Commands decided and appended together: a batch of 64 posts stays below Cassandra's 50 KiB warning threshold. */
export const BATCH_MAX = 64;
/**
 * Activations in memory. A fresh conversation takes 5 KiB with its status, an account a little more: 100 to 200 MiB in
 * all.
 */
export const ACTIVATIONS_MAX = 20_000;
/** Entries queued in memory for one lane; later ones are read from the journal again. */
export const LANE_QUEUE_MAX = 256;
/** Concurrent scans of backlogged shards, and of activations from the backlog. */
export const SCAN_CONCURRENCY_MAX = 16;
/** Concurrent rescans of shards. They are not urgent and share the node with client requests. */
export const RESCAN_CONCURRENCY_MAX = 2;
/** Concurrent passivations when shards are released: each mostly waits for the store. */
export const RELEASE_CONCURRENCY_MAX = 64;
/**
 * Bytes of snapshots from earlier owners that wait for the first command to their actor; the oldest are evicted. Many
 * may never be used. Some ten thousand of the usual 5 KiB fit.
 */
export const PRIMED_BYTES_MAX = 67_108_864;
/** The largest state sent to the next owner in one message. It reads a larger one from the store. */
export const WARM_BYTES_MAX = 1_048_576;
/**
 * Minimum of entries between two snapshots. A busy machine replays some 6,000 entries a second, so these take 30 ms;
 * one snapshot row for 200 journal rows costs next to nothing.
 */
export const SNAPSHOT_ENTRIES_MIN = 200;
/** Maximum of entries between two snapshots, however large the state: they are replayed in about a second. */
export const SNAPSHOT_ENTRIES_MAX = 5_000;
/** Effect sources that one actor stores for deduplication. The least recently received one is dropped. */
export const SOURCES_MAX = 1_024;
/**
 * Stored replies to commands with an idempotency key of one actor: 300 requests in five minutes, the usual rate limit,
 * for ANSWERED_MS.
 */
export const ANSWERED_MAX = 3_600;
/**
 * Bytes of these keys and replies together: enough for that many statuses (some 100 bytes each), with room for longer
 * keys.
 */
export const ANSWERED_BYTES_MAX = 943_718;
/** Time for which a repeated key gets the first reply. Source: Mastodon PostStatusService, one hour. */
export const ANSWERED_MS = 3_600_000;

/**
 * Minimum of entries that a journal trim removes. Each trim leaves a range tombstone in Cassandra, so ten in a bucket
 * of the journal, and reads the latest snapshot back.
 */
export const TRIM_ENTRIES_MIN = 1_000;

/** The limits of a runtime; tests lower them. All times are milliseconds of the injected clock. */
export interface RuntimeLimits {
  readonly mailboxMax: number;
  readonly batchMax: number;
  readonly activationsMax: number;
  readonly laneQueueMax: number;
  readonly primedBytesMax: number;
  /**
   * After this many entries since a snapshot, the next one is taken when they have as many bytes as the last. Snapshots
   * thus write no more than journals.
   */
  readonly snapshotEntriesMin: number;
  /**
   * After this many entries a snapshot is taken whatever their bytes. An activation replays no more, unless snapshots
   * fail.
   */
  readonly snapshotEntriesMax: number;
  /** The value of `snapshotEntriesMin` for an actor that is passivated, because its next activation replays first. */
  readonly snapshotWorth: number;
  /** A journal is trimmed when this many entries can be removed. */
  readonly trimEntriesMin: number;
  /** Entries done between two saves of a busy lane's cursor: the most that a new owner repeats. */
  readonly cursorEvery: number;
  /** Time without commands after which an activation is passivated. */
  readonly idleMs: number;
  /** Time that lanes must be idle before the cursor is saved and the backlog row removed. */
  readonly quietMs: number;
  /**
   * Time after which a new, idle actor with one entry is passivated: most statuses receive no further commands. This
   * way some thousand of them a second do not fill `activationsMax`, and the cursors of many still share a write.
   */
  readonly fleetingMs: number;
  /** Time that a reply waits for its before-reply effects. Its events are durable before the wait. */
  readonly patienceMs: number;
  /** Time that a released activation waits for its effects. The next owner carries out the rest. */
  readonly releaseMs: number;
  /** Interval between two scans of the backlog of all held shards, to find rows that were written late. */
  readonly rescanMs: number;
  /**
   * Duration of one attempt of a repeatable command. It is shorter than a takeover, so that a retry finds the next
   * owner.
   */
  readonly attemptMs: number;
  /** Time for which requests wait for a bus that is down: a restarted server is back within it. */
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
