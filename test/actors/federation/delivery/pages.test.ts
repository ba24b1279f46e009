import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostPass } from '../../../../actors/federation/delivery/pass.js';
import type { DeliveryPlaces } from '../../../../actors/federation/delivery/places.js';
import { closedBreaker } from '../../../../actors/remote-host/breaker.js';
import { inTurns } from '../../../../actors/runtime/effects/in-turns.js';
import type { Tables } from '../../../../store/port.js';
import { silentDeliveries } from '../../../kit/actors/silent-deliveries.js';

/** Returns room for some pages, and for any number of deliveries. */
const placesFor = (pages: number): Pick<DeliveryPlaces, 'of' | 'record'> => {
  const places = { pages: inTurns(pages), deliveries: inTurns(100) };
  return { of: () => places, record: () => undefined };
};

test('passes beyond the bound read nothing until a page of another is done, and a halted one reads nothing at all', async () => {
  const asked: string[] = [];
  const open = new Map<string, () => void>();
  const range = (_table: unknown, { host }: { host: string }) => {
    asked.push(host);
    return new Promise<[]>((resolve) => void open.set(host, () => resolve([])));
  };
  const context = silentDeliveries({ tables: { range } as unknown as Tables, places: placesFor(2) });
  const begin = (host: string) => {
    const pass = new HostPass(context, { host, fromMs: 0, breaker: closedBreaker, retired: new Map() });
    return { pass, ended: pass.run() };
  };
  const [first, second, third, fourth] = ['1', '2', '3', '4'].map(begin);
  await Promise.resolve();
  assert.deepEqual(asked, ['1', '2']);
  third?.pass.halt();
  open.get('1')?.();
  await Promise.all([first?.ended, third?.ended]);
  assert.deepEqual(asked, ['1', '2', '4']);
  open.get('2')?.();
  open.get('4')?.();
  await Promise.all([second?.ended, fourth?.ended]);
});

test('the pass of a short queue ends in the turn of its page', async () => {
  const order: string[] = [];
  const delivery = { document: 'd', inbox: 'https://far.example/inbox', order: 'o', type: 'Create', signer: '1' };
  const range = async (_table: unknown, { host, bucket }: { host: string; bucket: number }) => {
    order.push(`${host} is read`);
    const key = { host, bucket, atMs: 0, seq: 1, part: 'p' };
    return [{ key, value: { ...delivery, signerUri: 'u', attempts: 0, triedMs: 0, dueMs: 0 } }];
  };
  const tables = { range, get: async () => undefined, write: async () => undefined } as unknown as Tables;
  const context = silentDeliveries({ tables, places: placesFor(1) });
  const run = async (host: string) => {
    await new HostPass(context, { host, fromMs: 0, breaker: closedBreaker, retired: new Map() }).run();
    order.push(`${host} ends`);
  };
  await Promise.all(['1', '2', '3'].map(run));
  const ends = order.filter((step) => step.endsWith('ends'));
  assert.deepEqual(ends, ['1 ends', '2 ends', '3 ends']);
  assert.ok(order.indexOf('1 ends') < order.indexOf('3 is read'), order.join(', '));
});
