import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostPass } from '../../../../actors/federation/delivery/pass.js';
import { OTHERS_MAX, PROVEN_MAX } from '../../../../actors/federation/delivery/places.js';
import { closedBreaker } from '../../../../actors/remote-host/breaker.js';
import type { Tables } from '../../../../store/port.js';
import type { DeliveryOutcome } from '../../../../transport/federation/port.js';
import { silentDeliveries } from '../../../kit/actors/silent-deliveries.js';

/** Returns passes of hosts with one delivery each. Hosts whose name begins with `silent` never answer. */
function passes() {
  const tried: string[] = [];
  const never = new Promise<DeliveryOutcome>(() => undefined);
  const delivery = { document: 'd', order: 'o', type: 'Create', signer: '1', signerUri: 'u' };
  const range = async (_table: unknown, { host, bucket }: { host: string; bucket: number }) => [
    {
      key: { host, bucket, atMs: 0, seq: 1, part: 'p' },
      value: { ...delivery, inbox: `https://${host}/inbox`, attempts: 0, triedMs: 0, dueMs: 0 },
    },
  ];
  const tables = { range, get: async () => ({ body: Buffer.from('{}') }), write: async () => undefined };
  const context = silentDeliveries({
    tables: tables as unknown as Tables,
    client: {
      async deliver(inbox) {
        const { hostname } = new URL(inbox);
        tried.push(hostname);
        return hostname.startsWith('silent') ? never : { kind: 'delivered' };
      },
    },
  });
  const run = (host: string, hasDelivered: boolean, breaker = closedBreaker) =>
    new HostPass(context, { host, fromMs: 0, breaker, retired: new Map(), hasDelivered }).run();
  const silent = (name: string, count: number, hasDelivered: boolean) => {
    for (let number = 0; number < count; number++) void run(`silent-${name}-${number}`, hasDelivered);
  };
  return { tried, run, silent };
}

test('a proven host waits for none of many hosts that never answer, and a new one does', async () => {
  const { tried, run, silent } = passes();
  silent('new', 1_000, false);
  const { tally } = await run('proven', true);
  assert.equal(tally?.delivered, 1);
  void run('new', false);
  void run('failing', true, { ...closedBreaker, openings: 1 });
  await run('proven', true);
  assert.deepEqual(
    tried.filter((host) => !host.startsWith('silent')),
    ['proven', 'proven'],
  );
  assert.equal(tried.length, OTHERS_MAX + 2);
});

test('a new host waits for no proven hosts that have stopped to answer', async () => {
  const { tried, run, silent } = passes();
  silent('proven', 1_000, true);
  const { tally } = await run('new', false);
  assert.equal(tally?.delivered, 1);
  assert.equal(tried.length, PROVEN_MAX + 1);
});
