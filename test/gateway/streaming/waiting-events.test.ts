import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idMs, makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { Hub } from '../../../gateway/streaming/hub.js';
import { sinceOf } from '../../../gateway/streaming/position.js';
import type { StreamEvent } from '../../../gateway/streaming/stream-event.js';
import { streamNamed } from '../../../gateway/streaming/stream-kinds.js';
import { codec } from '../../../proto/codec.js';
import { accountTopic } from '../../../transport/bus.js';
import { InProcessHub } from '../../../transport/in-process-bus.js';
import { until } from '../../kit/time/until.js';
import { ALICE, BOB, GatewayFixture, realClock } from '../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, piecesOf, rendering } from './no-sources.js';
import { plainStatus, tell } from './told-status.js';

// Events wait for the store. A position that a client gets meanwhile must not be above those that still wait.

const T0 = 1_767_225_600_000;
const WAIT_MS = 10_000;
/** Times of the posts, in ms: the last one when floors may rise to the time of the first ones. */
const POSTED_MS = [1_000, 1_001, 20_000, 40_000];
const at = (ms: number) => makeId(T0 + ms, 7, 0);

/** The home stream of Alice, whose statuses and relations can be read if the gates are open. */
async function opened() {
  const clock = { ms: 0, nowMs: () => T0 + clock.ms, monotonicMs: () => clock.ms };
  const gates = { statuses: Promise.resolve(), relations: Promise.resolve() };
  const ask = (async () => {
    await gates.relations;
    return NO_RELATIONS;
  }) as never;
  const bus = new InProcessHub(realClock).bus('one');
  const sources = {
    ...NO_SOURCES,
    ...rendering(async ({ id }) => {
      await gates.statuses;
      return { id };
    }),
    renderNotification: async (_viewer: string, id: string) => piecesOf({ id }),
  };
  const logger = { info: assert.fail, warn: assert.fail, error: assert.fail };
  const services = { ...new GatewayFixture(bus).services(ask), idClock: clock, entries: { of: async () => [] } };
  const hub = new Hub({ services, bus, sources, logger } as never);
  /** For each event its id and the time of the floor of its position, after T0. */
  const sent: [id: string, floorMs: number][] = [];
  const send = ({ id = '' }: StreamEvent, _kind: unknown, where?: () => Buffer) => {
    const since = sinceOf(where?.().toString());
    assert.ok(since !== undefined && !isProblem(since));
    sent.push([id, idMs(since.floor) - T0]);
  };
  const socket = { send, heartbeat: () => {}, drained: () => undefined, close: () => {} };
  const connection = hub.connect(ALICE, 'hash', ['read'], socket as never, '127.0.0.1');
  await hub.subscribe(connection, streamNamed('user') ?? assert.fail());
  const posted = async (ms: number) => {
    clock.ms = ms;
    await hub.heartbeat();
    tell(bus, 'update', plainStatus(at(ms), ALICE));
  };
  const told = (kind: string, more: object = {}) =>
    bus.publish(
      accountTopic(ALICE),
      codec('murmuration.node.AccountTopic').encode({ accountId: ALICE, kind, ...more } as never),
    );
  return { hub, clock, gates, sent, posted, told };
}

/** Returns a closed gate, and what opens it. */
function gate(): [Promise<void>, () => void] {
  let open = () => {};
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [closed, open];
}

/** Asserts that no floor was above a status that was sent later. */
function assertInOrder(sent: readonly (readonly [string, number])[], ids: readonly string[]): void {
  assert.deepEqual(
    sent.map(([id]) => id).filter((id) => ids.includes(id)),
    ids,
  );
  for (const [place, [id, floorMs]] of sent.entries())
    for (const [later] of sent.slice(place + 1))
      assert.ok(floorMs < idMs(later) - T0, `the floor after ${id} is at ${floorMs}, above ${later}`);
}

test('floors do not pass statuses that wait for their rendering', async () => {
  const { hub, clock, gates, sent, posted, told } = await opened();
  const [closed, open] = gate();
  gates.statuses = closed;
  for (const ms of POSTED_MS) await posted(ms);
  clock.ms = 60_000;
  const notification = { type: 'favourite', from: BOB, atMs: 1 };
  told('notification', { notificationId: at(60_000), notification });
  await until('the notification', () => sent.length > 0 || undefined, WAIT_MS);
  open();
  await until('all statuses', () => sent.length === 1 + POSTED_MS.length || undefined, WAIT_MS);
  assertInOrder(sent, POSTED_MS.map(at));
  await posted(70_000);
  await until('the last status', () => sent.at(-1)?.[0] === at(70_000) || undefined, WAIT_MS);
  assert.ok((sent.at(-1)?.[1] ?? 0) > 20_000, 'the floor rises again');
  await hub.close();
});

test('floors do not pass statuses that wait for the relations of their viewer', async () => {
  const { hub, clock, gates, sent, posted, told } = await opened();
  const [closed, open] = gate();
  gates.relations = closed;
  told('relations');
  for (const ms of POSTED_MS) await posted(ms);
  clock.ms = 60_000;
  open();
  await until('all statuses', () => sent.length === POSTED_MS.length || undefined, WAIT_MS);
  assertInOrder(sent, POSTED_MS.map(at));
  await hub.close();
});
