import { Unavailable } from '../actors/domain/problem.js';
import type { PeerService, Peers } from './peer.js';

/** Calls between nodes of one process, by addresses of their choice. */
export class LocalPeers implements Peers {
  private readonly services = new Map<string, PeerService>();

  /** Makes a node reachable at the address; undefined removes it. */
  register(address: string, service: PeerService | undefined): void {
    if (service === undefined) this.services.delete(address);
    else this.services.set(address, service);
  }

  peer(address: string): PeerService {
    const find = () => {
      const service = this.services.get(address);
      if (service === undefined) throw new Unavailable(`no node at ${address}`);
      return service;
    };
    return {
      status: async () => find().status(),
      load: async () => find().load(),
      drain: async () => find().drain(),
      handoff: async (chunks) => find().handoff(chunks),
    };
  }

  async close(): Promise<void> {
    this.services.clear();
  }
}
