import type { NodeHandoffChunk, NodeHandoffSummary, NodeHeard, NodeNodeStatus } from '../proto/gen/types.js';
import type { PeerService } from '../transport/peer.js';

/** Chunks that one handoff may bring: the activations of a batch of shards on a full node. */
export const HANDOFF_CHUNKS_MAX = 20_000;

/** What the parts of a node answer to its peers with. */
export interface PeerDesk {
  status(): NodeNodeStatus;
  drain(): void;
  /** `heard`: what the giver said of it in this call so far. */
  prime(chunk: NodeHandoffChunk, heard: NodeHeard | undefined): void;
}

/** The node's side of the calls between nodes. */
export function peerService(desk: PeerDesk): PeerService {
  return {
    status: async () => desk.status(),
    drain: async () => {
      desk.drain();
      return desk.status();
    },
    handoff: async (chunks): Promise<NodeHandoffSummary> => {
      let taken = 0;
      let heard: NodeHeard | undefined;
      for await (const chunk of chunks) {
        if (taken >= HANDOFF_CHUNKS_MAX) break;
        heard = chunk.heard ?? heard;
        desk.prime(chunk, heard);
        taken += 1;
      }
      return { taken };
    },
  };
}
