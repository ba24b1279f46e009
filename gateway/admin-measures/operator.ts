import type { Problem } from '../../actors/domain/problem.js';
import type { NodeNodeLoad } from '../../proto/gen/types.js';

/** Deliveries to another server. */
export interface HostState {
  readonly host: string;
  /** `open`: deliveries are paused, one attempt at a time. `gone`: nothing is sent until the host sends something. */
  readonly state: 'closed' | 'open' | 'gone' | 'paused';
  readonly waiting: number;
  /** Times in ISO 8601. */
  readonly oldest: string | null;
  readonly next: string | null;
  readonly failingSince: string | null;
  readonly [fact: string]: unknown;
}

/** The state of a node, as `murmuration status` prints it. */
export interface NodeState {
  readonly name: string;
  readonly state: string;
  readonly version: string;
  readonly shards: number;
  readonly activations: number;
  readonly uptimeMs: number;
  /** Offset of the clock from that of other nodes. */
  readonly clockOffsetMs: number;
  /** Activations whose effects are under way. */
  readonly unsettled: number;
  readonly mail: {
    readonly sent: number;
    readonly waiting: number;
    readonly oldestWaitingSeconds: number;
    /** Counts by reason. */
    readonly failed: Readonly<Record<string, number>>;
  };
  readonly federation: {
    readonly delivered: number;
    readonly waiting: number;
    readonly waitingHosts: number;
    readonly pausedHosts: number;
    readonly oldestWaitingSeconds: number;
    /** Counts by reason. */
    readonly failed: Readonly<Record<string, number>>;
    readonly dropped: Readonly<Record<string, number>>;
    readonly waitingInbox: number;
  };
}

/** A node of the cluster, as its row says and as it answers. */
export interface NodeReport {
  readonly name: string;
  readonly state: string;
  readonly version: string;
  /** True for the node that is asked. */
  readonly isSelf: boolean;
  /** Undefined: the node does not answer. */
  readonly load: NodeNodeLoad | undefined;
}

/** The operator's view of this node and its cluster. */
export interface Operator {
  /** Returns all nodes of the cluster by name; an embedded store has one. @throws Unavailable */
  nodes(): Promise<readonly NodeReport[]>;
  /** Returns servers for which deliveries wait, have ended or are halted, behind `after`. @throws Unavailable */
  hosts(limit: number, after: string | undefined): Promise<readonly HostState[] | Problem>;
  /** Retries, drops, pauses or resumes the deliveries to a server; durable when resolved. @throws Unavailable */
  steer(host: string, act: string): Promise<Problem | undefined>;
}
