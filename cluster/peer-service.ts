import { Unavailable } from '../actors/domain/problem.js';
import type {
  NodeHandoffChunk,
  NodeHandoffSummary,
  NodeHeard,
  NodeNodeLoad,
  NodeNodeStatus,
} from '../proto/gen/types.js';
import type { PeerService } from '../transport/peer.js';

/** Maximum number of chunks in one handoff: the activations of a batch of shards on a full node. */
export const HANDOFF_CHUNKS_MAX = 20_000;

/** Functions of a node that its peers call. */
export interface PeerDesk {
  status(): NodeNodeStatus;
  /** Absent: the node does not tell its load. @throws Unavailable while the node starts */
  load?(): NodeNodeLoad;
  drain(): void;
  /** Takes a warm activation. `received`: the received message numbers that the giver has sent in this call so far. */
  prime(chunk: NodeHandoffChunk, received: NodeHeard | undefined): void;
}

/** Serves the calls of other nodes. */
export function peerService(desk: PeerDesk): PeerService {
  return {
    status: async () => desk.status(),
    load: async () => {
      if (desk.load === undefined) throw new Unavailable('this node does not tell its load');
      return desk.load();
    },
    drain: async () => {
      desk.drain();
      return desk.status();
    },
    handoff: async (chunks): Promise<NodeHandoffSummary> => {
      let taken = 0;
      let received: NodeHeard | undefined;
      for await (const chunk of chunks) {
        if (taken >= HANDOFF_CHUNKS_MAX) break;
        received = chunk.heard ?? received;
        desk.prime(chunk, received);
        taken += 1;
      }
      return { taken };
    },
  };
}
