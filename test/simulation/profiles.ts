import {
  type Action,
  blindStun,
  crash,
  drain,
  leaseTrouble,
  longPause,
  partition,
  pause,
  stepClock,
  storeTrouble,
  stun,
  unplug,
} from './faults/nemesis.js';
import type { Invariant } from './invariants/violations.js';
import type { Habits } from './requests.js';
import type { StoreFaults } from './services/cassandra-session.js';

export interface ProfileRules {
  readonly actions: readonly Action[];
  readonly accounts: number;
  /** World time of clients and faults together. */
  readonly storyMs: number;
  readonly habits: Habits;
  /** Permanent faults of the store. */
  readonly store?: Partial<StoreFaults>;
  /** Probability that all nodes crash during the last requests. */
  readonly endsInCrashChance: number;
  /** Checks snapshots continuously: most are soon replaced by those of the valid history. */
  readonly checksSnapshots?: boolean;
  /** Each account has push subscriptions, whose push services fail. */
  readonly pushes?: true;
  /** Each account follows and leaves an account of another server, which fails. */
  readonly deliveries?: true;
  /** Judged invariants; absent: all. */
  readonly judged?: readonly Invariant[];
}

const fickle: Habits = { loyalty: 0, patienceMs: 11_000, idleChance: 0 };
const loyal: Habits = { loyalty: 0.9, patienceMs: 1_500, idleChance: 0 };

export const profiles = {
  /** A mixture of all faults except those of clocks. */
  everything: {
    actions: [crash, pause, partition, unplug, drain, storeTrouble],
    accounts: 5,
    storyMs: 20_000,
    endsInCrashChance: 0.5,
    habits: fickle,
  },
  /** The same mixture in the shortest time. */
  short: {
    actions: [crash, pause, partition, unplug, drain, storeTrouble],
    accounts: 3,
    storyMs: 8_000,
    endsInCrashChance: 0.5,
    habits: { loyalty: 0.5, patienceMs: 2_000, idleChance: 0 },
  },
  /** Renewals of leases that the store rejects. */
  leases: { actions: [leaseTrouble], accounts: 5, storyMs: 20_000, endsInCrashChance: 0, habits: fickle },
  /** Clocks that step and machines that are stunned. */
  clocks: {
    actions: [stepClock, stepClock, stun, drain, drain, partition, crash],
    accounts: 5,
    storyMs: 20_000,
    endsInCrashChance: 0.2,
    habits: fickle,
  },
  /** Nodes that stand still for longer than their lease, while clients continue to send requests to them. */
  ownership: {
    actions: [stun, stun, longPause, longPause, stepClock],
    accounts: 4,
    storyMs: 30_000,
    endsInCrashChance: 0,
    habits: loyal,
    store: { delayMs: [0.2, 30], failChance: 0.1 },
  },
  /** Nodes that crash repeatedly. */
  crashes: {
    actions: [crash, crash, crash, drain, storeTrouble],
    accounts: 3,
    storyMs: 20_000,
    endsInCrashChance: 1,
    habits: { ...fickle, patienceMs: 3_000 },
  },
  /** A store in which many writes are reported failed and land much later. */
  late: {
    actions: [crash, drain],
    accounts: 3,
    storyMs: 40_000,
    endsInCrashChance: 0.2,
    habits: { loyalty: 0.5, patienceMs: 3_000, idleChance: 0.3 },
    store: { lateJournalChance: 0.5 },
  },
  /** Push services that fail, hang and answer late, while nodes crash. */
  pushes: {
    actions: [crash, crash, pause, drain, partition, storeTrouble],
    accounts: 4,
    storyMs: 20_000,
    endsInCrashChance: 0.5,
    habits: fickle,
    pushes: true,
    judged: ['pushesArrive', 'everythingComesToRest', 'alarmsRing', 'entriesStay', 'snapshotsAreCaches'],
  },
  /** Another server that fails, hangs and answers late, while nodes crash. */
  deliveries: {
    actions: [crash, crash, pause, drain, partition, storeTrouble],
    accounts: 4,
    storyMs: 20_000,
    endsInCrashChance: 0.5,
    habits: fickle,
    deliveries: true,
    judged: [
      'breakersHold',
      'activitiesArrive',
      'everythingComesToRest',
      'alarmsRing',
      'entriesStay',
      'snapshotsAreCaches',
    ],
  },
  /**
   * Machines whose clocks do not show how long they stood still: leases then guarantee nothing, and the former owner
   * continues for a while. Its appends and trims of that time may be lost. Even so no history is mixed with another.
   */
  blind: {
    actions: [blindStun],
    accounts: 3,
    storyMs: 30_000,
    endsInCrashChance: 0,
    habits: loyal,
    checksSnapshots: true,
    judged: ['snapshotsAreCaches', 'readersStopAtLaterEpochs'],
  },
} as const satisfies Readonly<Record<string, ProfileRules>>;

/** Profiles of a cluster's life. */
type ClusterProfile = keyof typeof profiles;
/** `embedded`: the log of one process (embedded.ts). */
export type Profile = ClusterProfile | 'embedded';
export const profileNames: readonly Profile[] = [...(Object.keys(profiles) as ClusterProfile[]), 'embedded'];
