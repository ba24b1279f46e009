import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../actors/domain/problem.js';
import type { NodeHandoffChunk, NodeNodeLoad, NodeNodeStatus } from '../../proto/gen/types.js';
import type { PeerService, Peers } from '../../transport/peer.js';
import { eventually } from './eventually.js';

/** Returns a snapshot as a node hands it over. */
export const warmSnapshot = (seq: number, bytes: number) => ({
  seq,
  stateVersion: 1,
  epoch: 1,
  beforeReply: seq,
  afterReply: seq,
  bytes,
  chunks: 0,
  checksum: 0,
  atMs: 1,
  journalFrom: 0,
  state: new Uint8Array(bytes),
});

export const someStatus: NodeNodeStatus = {
  name: 'n1',
  incarnation: 'f00d',
  state: 'up',
  shards: 341,
  activations: 7,
  mapVersion: 12,
  members: ['n1#f00d up'],
  uptimeMs: 1_234,
  version: '0.1',
  format: 2,
  activeFormat: 1,
  wallMs: 1_767_225_600_000,
  clockOffsetMs: -3.5,
};

export const someLoad: NodeNodeLoad = {
  status: someStatus,
  kinds: [{ kind: 'account', count: 5 }],
  busiest: [{ kind: 'account', id: '000000000000000001', count: 3 }],
  unsettled: 1,
  shards: [0, 1, 2, 682, 1_023],
  samples: [{ commands: 12, activations: 7, unsettled: 1, lateMs: 2 }],
  hot: [{ kind: 'account', id: '000000000000000002', count: 40 }],
  queues: [
    { name: 'mail', waiting: 2, oldestSeconds: 1.5, done: 9, failed: 1 },
    { name: 'inbox', waiting: 0 },
  ],
};

/** A peer service that records its calls; it takes chunks while its gate is open. */
export class RecordingService implements PeerService {
  readonly actors: string[] = [];
  drains = 0;
  gate: Promise<void> = Promise.resolve();

  async status() {
    return someStatus;
  }

  async load() {
    return someLoad;
  }

  async drain() {
    this.drains += 1;
    return { ...someStatus, state: 'draining' };
  }

  async handoff(chunks: AsyncIterable<NodeHandoffChunk>) {
    let taken = 0;
    for await (const chunk of chunks) {
      await this.gate;
      this.actors.push(chunk.actor);
      taken += 1;
    }
    return { taken };
  }
}

export interface Reachable {
  readonly peers: Peers;
  readonly address: string;
  /** An address where nothing listens. */
  readonly nowhere: string;
}

/** The contract of calls between nodes, for every transport. */
export function peersContract(
  name: string,
  open: (service: PeerService, t: { after(end: () => Promise<void>): void }) => Promise<Reachable>,
): void {
  test(`${name}: a node answers its status and its load, and begins the drain on request`, async (t) => {
    const service = new RecordingService();
    const { peers, address } = await open(service, t);
    assert.deepEqual(await peers.peer(address).status(), someStatus);
    assert.deepEqual(await peers.peer(address).load(), someLoad);
    assert.equal((await peers.peer(address).drain()).state, 'draining');
    assert.equal(service.drains, 1);
  });

  test(`${name}: warm activations arrive in order, whole, and are counted`, async (t) => {
    const service = new RecordingService();
    const { peers, address } = await open(service, t);
    const actors = Array.from({ length: 500 }, (_, number) => `account/${number}`);
    const summary = await peers.peer(address).handoff(
      (async function* () {
        for (const actor of actors) {
          yield { actor, snapshot: warmSnapshot(3, 1_000) };
        }
      })(),
    );
    assert.equal(summary.taken, 500);
    assert.deepEqual(service.actors, actors);
  });

  test(`${name}: a giver goes no faster than the receiver takes`, async (t) => {
    const service = new RecordingService();
    let openGate = (): void => undefined;
    service.gate = new Promise((resolve) => {
      openGate = resolve;
    });
    const { peers, address } = await open(service, t);
    let produced = 0;
    const giving = peers.peer(address).handoff(
      (async function* () {
        while (produced < 200) {
          produced += 1;
          yield { actor: `account/${produced}`, snapshot: warmSnapshot(1, 100_000) };
        }
      })(),
    );
    let before = -1;
    await eventually('the giver stands still', async () => {
      const still = produced === before;
      before = produced;
      if (!still) await new Promise((resolve) => setTimeout(resolve, 100));
      return still && produced > 0;
    });
    assert.ok(produced < 100, `${produced} chunks of 100 kB were taken from the giver`);
    openGate();
    assert.equal((await giving).taken, 200);
  });

  test(`${name}: a missing node is Unavailable`, async (t) => {
    const { peers, nowhere } = await open(new RecordingService(), t);
    await assert.rejects(peers.peer(nowhere).status(), Unavailable);
    await assert.rejects(peers.peer(nowhere).load(), Unavailable);
    await assert.rejects(peers.peer(nowhere).handoff((async function* () {})()), Unavailable);
  });

  test(`${name}: a node that fails is Unavailable, and answers the next call`, async (t) => {
    const service = new RecordingService();
    service.drain = () => Promise.reject(new Unavailable('not now'));
    const { peers, address } = await open(service, t);
    await assert.rejects(peers.peer(address).drain(), Unavailable);
    assert.equal((await peers.peer(address).status()).name, 'n1');
  });
}
