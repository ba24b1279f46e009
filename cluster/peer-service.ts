import type { NodeHandoffChunk, NodeHandoffSummary, NodeHeard, NodeNodeStatus } from '../proto/gen/types.js';
import type { PeerService } from '../transport/peer.js';

/** Maximum number of chunks in one handoff: the activations of a batch of shards on a full node. */
export const HANDOFF_CHUNKS_MAX = 20_000;

/** Functions of a node that its peers call. */
export interface PeerDesk {
  status(): NodeNodeStatus;
  drain(): void;
  /** Takes a warm activation. `heard`: the received message numbers that the giver has sent in this call so far. */
  prime(chunk: NodeHandoffChunk, heard: NodeHeard | undefined): void;
}

/** Serves the calls of other nodes. */
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
