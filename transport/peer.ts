import type {
  NodeHandoffChunk,
  NodeHandoffSummary,
  NodeNodeStatus,
  NodeOperated,
  NodeOperation,
} from '../proto/gen/types.js';

/** What a node answers to its peers and to operators. */
export interface PeerService {
  status(): Promise<NodeNodeStatus>;
  /** Begins the drain, as SIGTERM does; answers at once. */
  drain(): Promise<NodeNodeStatus>;
  /** Warm activations of shards that this node is about to own; flow-controlled. */
  handoff(chunks: AsyncIterable<NodeHandoffChunk>): Promise<NodeHandoffSummary>;
}

/** What a node does for operators from afar. */
export type OperatorService = (operation: NodeOperation) => Promise<NodeOperated>;

/** Calls to other nodes by their address; rejects with Unavailable when a peer does not answer in time or refuses us. */
export interface Peers {
  peer(address: string): PeerService;
  close(): Promise<void>;
}
