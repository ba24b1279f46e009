import { Unavailable } from '../../../actors/domain/problem.js';
import type { NodeHandoffChunk } from '../../../proto/gen/types.js';
import type { PeerService, Peers } from '../../../transport/peer.js';
import type { Process } from '../world.js';
import type { Network } from './network.js';

/** Timeout of a call to a peer, in world time. */
const PEER_MS = 3_000;

/** Calls between simulated nodes, by node name; they travel over the simulated network and may never arrive. */
export class SimulatedPeers {
  private readonly nodes = new Map<string, { readonly process: Process; readonly service: PeerService }>();

  constructor(
    private readonly network: Network,
    private readonly after: (delayMs: number, process: Process, action: () => void) => { cancel(): void },
  ) {}

  register(process: Process, service: PeerService): void {
    this.nodes.set(process.name, { process, service });
  }

  of(source: Process): Peers {
    return {
      peer: (address) => ({
        status: () => this.call(source, address, (service) => service.status()),
        load: () => this.call(source, address, (service) => service.load()),
        drain: () => this.call(source, address, (service) => service.drain()),
        handoff: async (chunks) => {
          const collected: NodeHandoffChunk[] = [];
          for await (const chunk of chunks) collected.push(chunk);
          return this.call(source, address, (service) => service.handoff(replay(collected)));
        },
      }),
      close: async () => undefined,
    };
  }

  private call<T>(source: Process, address: string, action: (service: PeerService) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.after(PEER_MS, source, () => reject(new Unavailable(`no answer from ${address}`)));
      const target = this.nodes.get(address);
      if (target === undefined) return;
      this.network.send(source, target.process, () => {
        action(target.service).then(
          (value) =>
            this.network.send(target.process, source, () => {
              timer.cancel();
              resolve(value);
            }),
          (error: Error) =>
            this.network.send(target.process, source, () => {
              timer.cancel();
              reject(error);
            }),
        );
      });
    });
  }
}

async function* replay(chunks: readonly NodeHandoffChunk[]): AsyncGenerator<NodeHandoffChunk> {
  yield* chunks;
}
