import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostPass } from '../../../../actors/federation/delivery/pass.js';
import {
  DeliveryPlaces,
  OTHERS_MAX,
  PROVEN_MAX,
  SLOW_MS,
  SLOW_OTHERS_MAX,
} from '../../../../actors/federation/delivery/places.js';
import { closedBreaker } from '../../../../actors/remote-host/breaker.js';
import type { Tables } from '../../../../store/port.js';
import type { DeliveryOutcome } from '../../../../transport/federation/port.js';
import { silentDeliveries } from '../../../kit/actors/silent-deliveries.js';
import { VirtualClock } from '../../../kit/time/virtual-clock.js';

/** Returns passes of hosts with one delivery each. Hosts whose name begins with `silent` never answer. */
function passes() {
  const tried: string[] = [];
  const clock = new VirtualClock();
  const places = new DeliveryPlaces({ clock });
  const delivery = { document: 'd', order: 'o', type: 'Create', signer: '1', signerUri: 'u' };
  const range = async (_table: unknown, { host, bucket }: { host: string; bucket: number }) => [
    {
      key: { host, bucket, atMs: clock.nowMs(), seq: 1, part: 'p' },
      value: { ...delivery, inbox: `https://${host}/inbox`, attempts: 0, triedMs: 0, dueMs: 0 },
    },
  ];
  const tables = { range, get: async () => ({ body: Buffer.from('{}') }), write: async () => undefined };
  const context = silentDeliveries({
    ...{ places, clock, tables: tables as unknown as Tables },
    client: {
      deliver(inbox): Promise<DeliveryOutcome> {
        const { hostname } = new URL(inbox);
        tried.push(hostname);
        const isSilent = hostname.startsWith('silent');
        return isSilent ? new Promise(() => undefined) : Promise.resolve({ kind: 'delivered' });
      },
    },
  });
  const run = (host: string) =>
    new HostPass(context, { host, fromMs: clock.nowMs(), breaker: closedBreaker, retired: new Map() }).run();
  const begin = (names: string, count: number) => {
    for (let number = 0; number < count; number++) void run(`${names}-${number}`);
  };
  return { tried, clock, places, run, begin };
}

test('a host that has answered waits for none of many hosts that never answer, and a new one does', async () => {
  const { tried, clock, places, run, begin } = passes();
  places.record('proven', true);
  begin('silent', 1_000);
  void run('new');
  await run('proven');
  await run('proven');
  await clock.settle();
  assert.equal(tried.length, OTHERS_MAX + 2);
  places.record('proven', false);
  void run('proven');
  await clock.settle();
  assert.equal(tried.length, OTHERS_MAX + 2, 'a host that did not answer is not preferred any more');
});

test('a new host waits for no hosts that have stopped to answer', async () => {
  const { tried, clock, places, run, begin } = passes();
  for (let number = 0; number < 1_000; number++) places.record(`silent-${number}`, true);
  begin('silent', 1_000);
  await run('new');
  await clock.settle();
  assert.equal(tried.length, PROVEN_MAX + 1);
});

test('deliveries that wait long for an answer let others begin, up to a bound', async () => {
  const { tried, clock, begin } = passes();
  begin('silent', 2 * SLOW_OTHERS_MAX);
  begin('new', 1);
  const rounds = SLOW_OTHERS_MAX / OTHERS_MAX;
  await clock.advance(3 * SLOW_MS);
  assert.equal(tried.length, 4 * OTHERS_MAX);
  await clock.advance(2 * rounds * SLOW_MS);
  assert.equal(tried.length, SLOW_OTHERS_MAX + OTHERS_MAX);
});
