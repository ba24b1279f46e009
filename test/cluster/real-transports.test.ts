import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { SHARDS } from '../../actors/domain/ids.js';
import type { ShardHost } from '../../actors/runtime/placement/placement.js';
import { systemClock } from '../../actors/runtime/system.js';
import { ClusterNode } from '../../cluster/cluster-node.js';
import { type LeaseRules, leaseRules } from '../../cluster/lease.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { actorSubject, type Subscription } from '../../transport/bus.js';
import { GrpcPeers } from '../../transport/grpc/grpc-peers.js';
import { PeerServer } from '../../transport/grpc/peer-server.js';
import { NatsBus } from '../../transport/nats/nats-bus.js';
import { OwnTime } from '../kit/time/own-time.js';
import { eventually } from '../transport/eventually.js';
import { sharedNatsUrl } from '../transport/nats-server.js';
import { realClock } from '../transport/real-clock.js';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const secret = 'of this test';
/** Half of the real lease: the test waits until one expires, and three nodes in one busy process must renew theirs. */
const rules: LeaseRules = { ...leaseRules, leaseMs: 3_000, renewMs: 700, marginMs: 300, watchMs: 3_000 };

interface Test {
  after(end: () => Promise<void>): void;
}

/** Starts a node that serves its shards on the bus and answers each request with its own name. */
async function launch(t: Test, tables: MemoryTables, prefix: string, name: string) {
  const bus = await NatsBus.connect({
    url: sharedNatsUrl(),
    token: process.env.TEST_NATS_TOKEN,
    prefix,
    name,
    log,
    clock: systemClock,
  });
  const peers = new GrpcPeers({ secret }, systemClock);
  const random = { bytes: (count: number) => randomBytes(count), fraction: () => randomBytes(1).readUInt8() / 256 };
  const program = { version: '0.1', format: 1 };
  const context = { tables, clock: realClock, random, log, cluster: prefix, name, program, rules, stampedMs: () => 0 };
  const node = new ClusterNode(context, bus, peers);
  const server = new PeerServer(node.service, { secret }, log, systemClock);
  const served = new Map<number, Subscription>();
  const primed = new Set<string>();
  const end = async (shards: readonly number[]) => {
    for (const shard of shards) {
      await served.get(shard)?.close();
      served.delete(shard);
    }
  };
  const host: ShardHost = {
    acquire: async (shards) => {
      const serve = (shard: number) => bus.serve(actorSubject(shard), async () => new TextEncoder().encode(name));
      await Promise.all(shards.map(async (shard) => served.set(shard, await serve(shard))));
    },
    release: async (shards, warm) => {
      await end(shards);
      await Promise.all(shards.map((shard) => warm({ actor: `account/${shard}` })));
    },
    prime: (chunk) => void primed.add(chunk.actor),
    abandon: (shards) => void end(shards),
  };
  await node.start({ host, grpcAddress: await server.listen('127.0.0.1:0'), baseUrl: `http://${name}` });
  const stop = async () => {
    await node.close();
    await peers.close();
    await server.close();
    await bus.close();
  };
  t.after(stop);
  return { node, bus, served, primed, stop };
}

type Launched = Awaited<ReturnType<typeof launch>>;
const share = (...nodes: Launched[]) =>
  nodes.every((node) => node.node.readiness().ready) &&
  nodes.reduce((sum, node) => sum + node.served.size, 0) === SHARDS &&
  nodes.every((node) => Math.abs(node.served.size - SHARDS / nodes.length) <= 1);

test('over real NATS and gRPC three nodes share the shards, one drains, one dies, and every shard answers', async (t) => {
  const tables = new MemoryTables();
  const prefix = `cluster-${randomBytes(4).toString('hex')}`;
  const a = await launch(t, tables, prefix, 'a');
  const b = await launch(t, tables, prefix, 'b');
  const c = await launch(t, tables, prefix, 'c');
  await eventually('three share', () => share(a, b, c));
  assert.ok(c.primed.size >= c.served.size, 'warm activations came ahead of the shards');

  const time = new OwnTime();
  await c.node.drain();
  const drainedMs = time.stop();
  assert.ok(drainedMs < 3_000, `the drain took ${drainedMs} ms`);
  assert.equal(c.served.size, 0);
  await eventually('two share', () => share(a, b));

  await b.stop();
  await eventually('one has all', () => share(a));
  await eventually('every shard answers', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: SHARDS }, (_, shard) => a.bus.request(actorSubject(shard), new Uint8Array(), 60_000)),
    );
    return answers.every((one) => one.status === 'fulfilled' && new TextDecoder().decode(one.value) === 'a');
  });
});
