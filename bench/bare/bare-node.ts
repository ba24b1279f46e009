import { systemClock } from '../../actors/runtime/system.js';
import type { Codec } from '../../proto/codec.js';
import { CassandraTables } from '../../store/cassandra/cassandra-tables.js';
import { put } from '../../store/port.js';
import { table } from '../../store/table.js';
import { WriteTimestamps } from '../../store/write-timestamps.js';
import { accountTopic, actorSubject } from '../../transport/bus.js';
import { NatsBus } from '../../transport/nats/nats-bus.js';
import type { BareRound, BareWish } from './bare.js';

// A node without gateway and actors, which shows the cost of an operation in the bus and the store alone. bare.ts
// starts three of them, controls them, and measures them from outside.

/** The size of a journal entry or a status. */
const VALUE_BYTES = 300;
const TABLES = 8;
const ASK_MS_MAX = 15_000;

const wish = JSON.parse(process.argv[2] ?? '{}') as BareWish;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const asTheyAre: Codec<Uint8Array> = { name: 'bytes', encode: (bytes) => bytes, decode: (bytes) => bytes };
const list = Array.from({ length: TABLES }, (_, number) =>
  table(`bare_${number}`, { partition: { actor: 'text' }, clustering: { seq: 'int' }, value: asTheyAre }),
);
const tables = await CassandraTables.open({
  contactPoints: [wish.cassandra],
  localDataCenter: 'datacenter1',
  keyspace: 'bare',
  replication: 1,
  timestamps: new WriteTimestamps(() => Date.now()),
  log: silent,
  clock: systemClock,
  tables: list,
});
const bus = await NatsBus.connect({
  url: wish.nats,
  prefix: 'bare',
  name: `bare-${wish.number}`,
  log: silent,
  clock: systemClock,
});
await bus.serve(actorSubject(wish.number), async (payload) => payload);
const value = Buffer.alloc(VALUE_BYTES, 7);
let seq = 0;

process.on('message', (round: BareRound) => {
  carryOut(round).then(
    () => process.send?.({}),
    (error: Error) => process.send?.({ error: String(error.stack) }),
  );
});
process.on('disconnect', () => void Promise.all([bus.close(), tables.close()]).finally(() => process.exit(0)));
process.send?.({});

async function carryOut(round: BareRound): Promise<void> {
  let left = round.count;
  const worker = async () => {
    while (left-- > 0) await operation(round);
  };
  await Promise.all(Array.from({ length: round.inFlight }, worker));
}

/** One operation: a request to the owner of an actor, mostly another node; its rows; and a message to all nodes. */
async function operation({ asks, rows, tells }: BareRound): Promise<void> {
  seq += 1;
  const key = { actor: `account/${wish.number}-${seq}`, seq };
  const owner = seq % wish.nodes;
  if (asks && owner !== wish.number) await bus.request(actorSubject(owner), value, ASK_MS_MAX);
  if (rows > 0) await tables.write(list.slice(0, rows).map((one) => put(one, key, value)));
  if (tells) bus.publish(accountTopic(key.actor), value);
}
