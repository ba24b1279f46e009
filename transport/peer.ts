import type {
  NodeHandoffChunk,
  NodeHandoffSummary,
  NodeNodeLoad,
  NodeNodeStatus,
  NodeOperated,
  NodeOperation,
} from '../proto/gen/types.js';

/** The calls that a node serves for its peers and for operators. */
export interface PeerService {
  status(): Promise<NodeNodeStatus>;
  /** Returns what the node does, for operators. Programs older than it reject with Unavailable. */
  load(): Promise<NodeNodeLoad>;
  /** Starts the drain, as SIGTERM does; returns at once. */
  drain(): Promise<NodeNodeStatus>;
  /** Takes warm activations of shards that this node is about to own; flow-controlled. */
  handoff(chunks: AsyncIterable<NodeHandoffChunk>): Promise<NodeHandoffSummary>;
}

/** Runs an operation for an operator who connects over the network. */
export type OperatorService = (operation: NodeOperation) => Promise<NodeOperated>;

/**
 * Calls to other nodes by address; they reject with Unavailable when a peer does not answer in time or rejects the
 * caller.
 */
export interface Peers {
  peer(address: string): PeerService;
  close(): Promise<void>;
}
