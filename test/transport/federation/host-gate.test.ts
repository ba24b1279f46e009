import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostGate } from '../../../transport/federation/host-gate.js';

const bounds = { hostMax: 2, max: 3, hostWaitingMax: 2, waitingMax: 3 };
const forever = new AbortController().signal;
/** Returns true if a promise is settled. */
const isSettled = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

test('a host has its places, all hosts together have theirs, and those who wait are bounded', async () => {
  const gate = new HostGate(bounds);
  const [first, , third] = [await gate.enter('a', forever), await gate.enter('a', forever), gate.enter('a', forever)];
  const other = await gate.enter('b', forever);
  const [fourth, fifth] = [gate.enter('a', forever), gate.enter('c', forever)];
  assert.equal(await gate.enter('a', forever), undefined, 'two of a host wait');
  assert.equal(await gate.enter('d', forever), undefined, 'three wait in all');
  for (const waiting of [third, fourth, fifth]) assert.equal(await isSettled(waiting), false);
  other?.();
  assert.equal(await isSettled(fifth), true, 'the host that has a place comes first');
  assert.equal(await isSettled(third), false);
  first?.();
  assert.equal(await isSettled(third), true);
  assert.equal(await isSettled(fourth), false);
});

test('a request that is given up leaves its place in the queue to others', async () => {
  const gate = new HostGate({ hostMax: 1, max: 1, hostWaitingMax: 1, waitingMax: 1 });
  const leave = await gate.enter('a', forever);
  const impatient = new AbortController();
  const waiting = gate.enter('a', impatient.signal);
  impatient.abort();
  assert.equal(await waiting, undefined);
  assert.equal(await gate.enter('a', impatient.signal), undefined);
  const next = gate.enter('a', forever);
  leave?.();
  const last = await next;
  assert.ok(last);
  last();
  assert.ok(await gate.enter('b', forever));
});
