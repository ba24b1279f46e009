import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../actors/domain/problem.js';
import { type Bus, PAYLOAD_BYTES_MAX, PULSE_TOPIC } from '../../transport/bus.js';
import { OwnTime } from '../kit/time/own-time.js';
import { eventually } from './eventually.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (payload: Uint8Array) => new TextDecoder().decode(payload);

/** Opens two nodes that share one bus, and closes them after the test. */
type Open = (t: { after(end: () => Promise<void>): void }) => Promise<readonly [Bus, Bus]>;

/** The contract of every bus. */
export function busContract(name: string, open: Open): void {
  requestContract(name, open);
  publicationContract(name, open);
  limitContract(name, open);
}

function requestContract(name: string, open: Open): void {
  test(`${name}: a request gets the answer of the node that serves its subject`, async (t) => {
    const [one, two] = await open(t);
    await one.serve('actor.7', async (payload) => bytes(`${text(payload)} yourself`));
    assert.equal(text(await two.request('actor.7', bytes('hello'), 60_000)), 'hello yourself');
    assert.equal(text(await one.request('actor.7', bytes('hi'), 60_000)), 'hi yourself');
  });

  test(`${name}: a subject that nobody serves is Unavailable at once`, async (t) => {
    const [one] = await open(t);
    const time = new OwnTime();
    await assert.rejects(one.request('actor.8', bytes('hello'), 60_000), Unavailable);
    assert.ok(time.stop() < 1_000);
  });

  test(`${name}: a served subject that was closed is Unavailable`, async (t) => {
    const [one, two] = await open(t);
    const server = await one.serve('actor.9', async (payload) => payload);
    await two.request('actor.9', bytes('hello'), 60_000);
    await server.close();
    await eventually('the server is gone', async () => {
      try {
        await two.request('actor.9', bytes('hello'), 200);
        return false;
      } catch (error) {
        return error instanceof Unavailable;
      }
    });
  });

  test(`${name}: a request that is not answered in time is Unavailable`, async (t) => {
    const [one, two] = await open(t);
    await one.serve('actor.10', () => new Promise(() => undefined));
    await assert.rejects(two.request('actor.10', bytes('hello'), 50), Unavailable);
  });

  test(`${name}: a handler that fails makes its caller’s request Unavailable and continues to serve`, async (t) => {
    const [one, two] = await open(t);
    await one.serve('actor.11', async (payload) => {
      if (payload.length === 0) throw new Error('nothing to do');
      return payload;
    });
    await assert.rejects(two.request('actor.11', new Uint8Array(), 60_000), Unavailable);
    assert.equal(text(await two.request('actor.11', bytes('again'), 60_000)), 'again');
  });
}

function publicationContract(name: string, open: Open): void {
  test(`${name}: a publication reaches all subscribers in order, those of its own node too`, async (t) => {
    const [one, two] = await open(t);
    const heard: string[][] = [[], []];
    await one.subscribe('topic.x', (payload) => heard[0]?.push(text(payload)));
    const subscription = await two.subscribe('topic.x', (payload) => heard[1]?.push(text(payload)));
    const sent = Array.from({ length: 100 }, (_, number) => String(number));
    for (const message of sent) one.publish('topic.x', bytes(message));
    await eventually('all have come', () => heard.every((messages) => messages.length === 100));
    assert.deepEqual(heard, [sent, sent]);
    await subscription.close();
    one.publish('topic.x', bytes('after'));
    await eventually('it has come', () => heard[0]?.length === 101);
    assert.equal(heard[1]?.length, 100);
  });

  test(`${name}: a node that has received everything another has follows it, without a gap`, async (t) => {
    const [one, two] = await open(t);
    const told: unknown[] = [];
    for (const bus of [one, two]) bus.onGap((subject) => told.push(subject));
    const heard: string[][] = [[], []];
    await one.subscribe(PULSE_TOPIC, (payload) => heard[0]?.push(text(payload)));
    await two.subscribe(PULSE_TOPIC, (payload) => heard[1]?.push(text(payload)));
    const said = async (bus: Bus, message: string) => {
      bus.publish(PULSE_TOPIC, bytes(message));
      await eventually('it has come', () => heard.every((messages) => messages.at(-1) === message));
    };
    await said(one, 'a');
    const before = one.receivedUpTo();
    await said(two, 'b');
    await said(one, 'c');
    assert.equal(two.follows(before, []), true);
    assert.equal(one.follows(two.receivedUpTo(), []), true);
    await said(one, 'd');
    assert.deepEqual(told, []);
  });
}

function limitContract(name: string, open: Open): void {
  test(`${name}: a message above the limit is refused by its sender, one at the limit arrives`, async (t) => {
    const [one, two] = await open(t);
    await one.serve('actor.12', async (payload) => payload);
    assert.throws(() => two.publish('topic.y', new Uint8Array(PAYLOAD_BYTES_MAX + 1)), RangeError);
    await assert.rejects(two.request('actor.12', new Uint8Array(PAYLOAD_BYTES_MAX + 1), 60_000), RangeError);
    const answer = await two.request('actor.12', new Uint8Array(PAYLOAD_BYTES_MAX), 60_000);
    assert.equal(answer.length, PAYLOAD_BYTES_MAX);
  });

  test(`${name}: an answer above the limit is Unavailable to its caller`, async (t) => {
    const [one, two] = await open(t);
    await one.serve('actor.13', async () => new Uint8Array(PAYLOAD_BYTES_MAX + 1));
    await assert.rejects(two.request('actor.13', new Uint8Array(), 60_000), Unavailable);
  });

  test(`${name}: a closed bus serves nothing more and refuses requests`, async (t) => {
    const [one, two] = await open(t);
    await one.serve('actor.14', async (payload) => payload);
    await one.close();
    assert.deepEqual([one.healthy(), one.hears()], [false, false]);
    assert.deepEqual([two.healthy(), two.hears()], [true, true]);
    await assert.rejects(one.request('actor.14', new Uint8Array(), 60_000), Unavailable);
    await eventually('the server is gone', async () => {
      try {
        await two.request('actor.14', new Uint8Array(), 200);
        return false;
      } catch (error) {
        return error instanceof Unavailable;
      }
    });
  });
}
