import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idMs, makeId } from '../../actors/domain/ids.js';
import { HomeRings } from '../../actors/timelines/home-rings.js';
import { Publications } from '../../actors/timelines/publications.js';
import { peerService } from '../../cluster/peer-service.js';
import { fanOut, withPublications, withRings } from '../../compose/home-rings.js';
import { codec } from '../../proto/codec.js';
import type { NodeHandoffChunk } from '../../proto/gen/types.js';
import { type Bus, PULSE_TOPIC, STATUSES_TOPIC } from '../../transport/bus.js';
import { Network } from '../simulation/services/network.js';
import { Process, SeededRandom, World } from '../simulation/world.js';

const headlines = codec('murmuration.node.StatusHeadline');
const pulses = codec('murmuration.node.Pulse');
const SHARD = 7;
const id = (number: number) => makeId(1_800_000_000_000 + number, SHARD, 0);
const [author, alice, bob] = [id(1), id(2), id(3)];
const newest = { before: undefined, after: undefined, upwards: false, limit: 20 };
const idle = { acquire: async () => undefined, release: async () => undefined, prime: () => {}, abandon: () => {} };
const desk = { drain: () => undefined, status: () => assert.fail('nobody asks') };

interface Node {
  readonly name: string;
  readonly bus: Bus;
  readonly rings: HomeRings;
  readonly published: Publications;
  readonly host: ReturnType<typeof withRings>;
}

/** Nodes with rings on a bus that loses publications while a line is cut, and none otherwise. */
class Cluster {
  readonly world = new World(() => false);
  readonly network = new Network(
    this.world,
    new SeededRandom(1),
    { dropChance: 0, repeatChance: 0, delayMs: [1, 1] },
    () => false,
  );

  async node(name: string): Promise<Node> {
    const process = new Process(name, 0, 1);
    const bus = this.network.busOf(process);
    const rings = new HomeRings({
      clock: this.world.clockOf(process),
      recent: () => assert.fail('nothing is merged here'),
      epochOf: () => 1,
      log: { warn: () => undefined },
      bus,
    });
    const everybody = { deliver: () => undefined, close: () => undefined };
    const published = new Publications(this.world.clockOf(process));
    await fanOut([rings], everybody, published, bus);
    return { name, bus, rings, published, host: withRings(idle, rings) };
  }

  /** Publishes a pulse, which reaches every connected node. @param number of the post that the publisher would mint now */
  async pulse({ name, bus }: Node, number = 0): Promise<void> {
    bus.publish(PULSE_TOPIC, pulses.encode({ member: name, idMs: idMs(id(number)) }));
    await this.pass();
  }

  async post({ bus }: Node, number: number, onlyTo: string[] = []): Promise<void> {
    const post = { kind: 'update', id: id(number), accountId: author, onlyTo, listed: false };
    bus.publish(STATUSES_TOPIC, headlines.encode(post as never));
    await this.pass();
  }

  /** Cuts the lines to the others while `meanwhile` runs. */
  async cut(publisher: Node, others: readonly Node[], meanwhile: () => Promise<void>): Promise<void> {
    for (const other of others) this.network.partition(publisher.name, other.name, true);
    await meanwhile();
    for (const other of others) this.network.partition(publisher.name, other.name, false);
  }

  private pass(): Promise<void> {
    return this.world.complete(this.world.sleep(5), 10);
  }
}

async function handedOver(giver: Node): Promise<NodeHandoffChunk[]> {
  const chunks: NodeHandoffChunk[] = [];
  await giver.host.release([SHARD], async (chunk) => void chunks.push(chunk));
  return chunks;
}

async function take(receiver: Node, chunks: readonly NodeHandoffChunk[], between = async () => {}): Promise<void> {
  const service = peerService({ ...desk, prime: (chunk, heard) => receiver.host.prime(chunk, heard) });
  await service.handoff(
    (async function* () {
      for (const [index, chunk] of chunks.entries()) {
        if (index > 0) await between();
        yield chunk;
      }
    })(),
  );
}

/** Returns the numbers of the posts in the viewer's ring; undefined: no ring. */
function shown({ rings }: Node, viewer: string): number[] | undefined {
  const { ids, rest } = rings.read(viewer, newest, 0);
  return rest === 'none'
    ? undefined
    : ids.map((one) => [...Array(100).keys()].find((number) => id(number) === one) ?? -1);
}

async function stage() {
  const cluster = new Cluster();
  const [publisher, old, other] = [
    await cluster.node('publisher'),
    await cluster.node('old'),
    await cluster.node('new'),
  ];
  for (const node of [publisher, old, other]) await cluster.pulse(node);
  for (const viewer of [alice, bob]) old.rings.open(viewer, [viewer, author], [], true);
  await cluster.post(publisher, 10);
  return { cluster, publisher, old, other };
}

test('a ring without a lost post is refused by a node that also lost the post and knows of the loss', async () => {
  const { cluster, publisher, old, other } = await stage();
  await cluster.cut(publisher, [old], async () => {
    await cluster.cut(publisher, [other], () => cluster.post(publisher, 11));
    await cluster.pulse(publisher);
    await take(other, await handedOver(old));
  });
  assert.equal(shown(other, alice), undefined);
  assert.equal(other.rings.figures.refused, 2);
});

test('a ring without a lost post is refused by a node that started after the post', async () => {
  const { cluster, publisher, old } = await stage();
  await cluster.cut(publisher, [old], async () => {
    await cluster.post(publisher, 11);
    const young = await cluster.node('young');
    await cluster.pulse(publisher);
    await take(young, await handedOver(old));
    assert.equal(shown(young, alice), undefined);
  });
});

test('a node that has received nothing from the publisher accepts the ring, and drops it at the publisher’s next message', async () => {
  const { cluster, publisher, old } = await stage();
  await cluster.cut(publisher, [old], () => cluster.post(publisher, 11));
  const young = await cluster.node('young');
  await take(young, await handedOver(old));
  assert.deepEqual(shown(young, alice), [10]);
  await cluster.pulse(publisher);
  assert.equal(shown(young, alice), undefined);
});

test('a node that has received the lost post adds it to the ring', async () => {
  const { cluster, publisher, old, other } = await stage();
  await cluster.cut(publisher, [old], () => cluster.post(publisher, 11));
  await take(other, await handedOver(old));
  await cluster.pulse(publisher);
  assert.deepEqual(shown(other, alice), [11, 10]);
});

test('posts of a publisher unknown to the old owner are added, or the ring is refused', async () => {
  for (const heardFirst of [true, false]) {
    const { cluster, old, other } = await stage();
    const late = await cluster.node('late');
    await cluster.cut(late, [old], async () => {
      await cluster.cut(late, heardFirst ? [] : [other], () => cluster.post(late, 12));
      await cluster.pulse(late);
      await take(other, await handedOver(old));
    });
    assert.deepEqual(shown(other, alice), heardFirst ? [12, 10] : undefined);
  }
});

test('a gap between two rings drops the first and refuses the second', async () => {
  const { cluster, publisher, old, other } = await stage();
  const chunks = await handedOver(old);
  assert.deepEqual(chunks.map(({ ring }) => ring?.viewer).sort(), [alice, bob].sort());
  await take(other, chunks, async () => {
    await cluster.cut(publisher, [other], () => cluster.post(publisher, 11));
    await cluster.pulse(publisher);
  });
  assert.deepEqual([shown(other, alice), shown(other, bob)], [undefined, undefined]);
});

test('rings of an owner that does not state its received numbers are refused', async () => {
  const { old, other } = await stage();
  await take(
    other,
    (await handedOver(old)).map(({ actor, ring }) => ({ actor, ...(ring && { ring }) })),
  );
  assert.equal(shown(other, alice), undefined);
});

test('when a node joins a healthy cluster the rings survive, whichever publishers it has received from by then', async () => {
  const { cluster, publisher, old, other } = await stage();
  const quiet = await cluster.node('quiet');
  await cluster.pulse(quiet);
  await cluster.pulse(quiet);
  const joining = await cluster.node('joining');
  for (const node of [joining, publisher, old]) await cluster.pulse(node);
  const chunks = await handedOver(old);
  // While the rings are in transit.
  await cluster.post(publisher, 11);
  await cluster.post(publisher, 12, [bob]);
  await take(joining, chunks);
  await cluster.post(quiet, 13);
  for (const node of [publisher, old, other, quiet, joining]) await cluster.pulse(node);
  await cluster.post(publisher, 14);
  assert.deepEqual(shown(joining, alice), [14, 13, 11, 10]);
  assert.deepEqual(shown(joining, bob), [14, 13, 12, 11, 10]);

  // Hand them on to another node that joins now.
  const next = await cluster.node('next');
  await take(next, await handedOver(joining));
  for (const node of [publisher, quiet, joining, next]) await cluster.pulse(node);
  assert.deepEqual(shown(next, bob), [14, 13, 12, 11, 10]);
  assert.deepEqual([joining.rings.figures.refused, next.rings.figures.refused], [0, 0]);
});

test('a node does not know what was published before its first shards, by the clock of ids that it has then', async () => {
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms };
  const published = new Publications(clock);
  const host = withPublications(idle, published);
  const has = (number: number) => published.has(id(number));
  clock.ms = 20_000;
  assert.equal(has(99_999), false, 'its clock has not got the floor of the ids yet');
  clock.ms = 1_800_000_100_000;
  await host.acquire([SHARD]);
  assert.equal(has(99_999), undefined);
  clock.ms += 10_000;
  assert.deepEqual([109_999, 110_000].map(has), [undefined, false]);
  clock.ms += 60_000;
  await host.acquire([SHARD + 1]);
  assert.equal(has(150_000), false, 'published by nobody since');
});

test('after a gap a node learns from pulses how far the clocks of ids of the others are', async () => {
  const { cluster, publisher, other } = await stage();
  await cluster.world.complete(cluster.world.sleep(10_000), 10_000);
  assert.equal(other.published.has(id(40_000)), false);
  await cluster.cut(publisher, [other], () => cluster.post(publisher, 40_000));
  await cluster.pulse(publisher, 50_000);
  assert.equal(other.published.has(id(40_000)), undefined);
  await cluster.world.complete(cluster.world.sleep(10_000), 10_000);
  assert.deepEqual(
    [40_000, 50_001].map((number) => other.published.has(id(number))),
    [undefined, false],
  );
});
