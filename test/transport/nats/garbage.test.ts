import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { connect } from 'nats';
import { makeId } from '../../../actors/domain/ids.js';
import { StampClock } from '../../../actors/runtime/placement/stamp-clock.js';
import { Runtime } from '../../../actors/runtime/runtime.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { codec } from '../../../proto/codec.js';
import { Journal } from '../../../store/journal.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { actorSubject, PULSE_TOPIC } from '../../../transport/bus.js';
import { NatsBus } from '../../../transport/nats/nats-bus.js';
import { notebook } from '../../kit/actors/notebook.js';
import { StagePlacement } from '../../kit/actors/stage.js';
import { fc } from '../../kit/property.js';
import { eventually } from '../eventually.js';
import { sharedNatsUrl } from '../nats-server.js';
import { realClock } from '../real-clock.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const command = codec('murmuration.node.ActorCommand');
const RANDOM_MESSAGES = 200;
const SHARD = 3;
const id = makeId(Date.now(), SHARD, 0);

const commandOf = (changed: object) =>
  command.encode({
    ...{ kind: 'notebook', id, command: 'read', payload: Buffer.from('{}'), timeoutMs: 1_000, traceId: '' },
    ...changed,
  });

/** Commands that name nothing, and bytes that are not a command. */
const GARBAGE: readonly Uint8Array[] = [
  new Uint8Array(),
  Buffer.from('garbage'),
  new Uint8Array(1_000).fill(255),
  commandOf({}).subarray(0, 9),
  commandOf({ kind: '__proto__' }),
  commandOf({ command: 'toString' }),
  commandOf({ payload: Buffer.from('{') }),
  ...fc.sample(fc.uint8Array({ maxLength: 200 }), { numRuns: RANDOM_MESSAGES, seed: 7 }),
];

async function stranger(t: TestContext) {
  const token = process.env.TEST_NATS_TOKEN;
  const connection = await connect({ servers: sharedNatsUrl(), ...(token && { token }) });
  t.after(() => connection.close());
  return connection;
}

async function opened(t: TestContext, prefix: string, name: string, lines: string[] = []): Promise<NatsBus> {
  const note = (_fields: object, message: string) => void lines.push(message);
  const log = { ...quiet, warn: note, error: note };
  const bus = await NatsBus.connect({
    url: sharedNatsUrl(),
    token: process.env.TEST_NATS_TOKEN,
    prefix,
    name,
    log,
    clock: systemClock,
  });
  t.after(() => bus.close());
  return bus;
}

function runtimeOn(t: TestContext, bus: NatsBus, lines: string[], epoch: number | undefined): Runtime {
  const tables = new MemoryTables();
  const placement = new StagePlacement();
  placement.epoch = epoch;
  const note = (_fields: object, message: string) => void lines.push(message);
  const random = { bytes: (count: number) => randomBytes(count), fraction: () => 0.5 };
  const logger = { ...quiet, warn: note, error: note };
  const journal = new Journal(tables);
  const stamps = new StampClock(realClock, placement);
  const parts = { kinds: [notebook()], tables, journal, bus, placement, clock: realClock, stamps, random, logger };
  const runtime = new Runtime(parts);
  t.after(() => runtime.close());
  return runtime;
}

test('garbage on command subjects is refused, counted and logged in one line, and commands are still handled', async (t) => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const lines: string[] = [];
  const owner = runtimeOn(t, await opened(t, prefix, 'owner', lines), lines, 1);
  await owner.acquire([SHARD]);
  const asker = runtimeOn(t, await opened(t, prefix, 'asker'), [], undefined);
  const from = await stranger(t);
  const subject = `${prefix}.${actorSubject(SHARD)}`;
  const reply = codec('murmuration.node.ActorReply');
  for (const garbage of GARBAGE) {
    const { data } = await from.request(subject, garbage, { timeout: 30_000 });
    assert.notEqual(reply.decode(data).status, 'ok');
  }
  assert.equal(owner.metrics.malformed, GARBAGE.length);
  assert.deepEqual(lines, ['failed to read a command']);
  const added = (await asker.ask('notebook', id, 'add', { text: 'a line' }, undefined, 30_000)) as { line: number };
  assert.equal(added.line, 1);
  assert.equal(owner.metrics.crashes, 0);
});

test('a subscription continues after malformed messages, which are counted and logged in one line', async (t) => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const lines: string[] = [];
  const [one, two] = [await opened(t, prefix, 'one', lines), await opened(t, prefix, 'two')];
  const heard: Record<'pulses' | 'others', string[]> = { pulses: [], others: [] };
  const pulse = codec('murmuration.node.Pulse');
  await one.subscribe(PULSE_TOPIC, (payload) => heard.pulses.push(pulse.decode(payload).member));
  await one.subscribe(PULSE_TOPIC, (payload) => heard.others.push(Buffer.from(payload).toString('hex')));
  await one.subscribe('topic.x', (payload) => heard.pulses.push(pulse.decode(payload).member));
  for (const subject of [PULSE_TOPIC, 'topic.x']) two.publish(subject, new Uint8Array(50).fill(255));
  for (const subject of [PULSE_TOPIC, 'topic.x']) two.publish(subject, pulse.encode({ member: 'two', idMs: 1 }));
  await eventually('both good ones came', () => heard.pulses.length === 2);
  assert.equal(heard.others.length, 2);
  assert.equal(one.counts().garbage, 2);
  assert.deepEqual(lines, ['ignored a malformed message']);
});
