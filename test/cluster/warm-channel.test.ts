import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WarmChannel } from '../../cluster/warm-channel.js';

async function drain(channel: WarmChannel): Promise<string[]> {
  const actors: string[] = [];
  for await (const chunk of channel) actors.push(chunk.actor);
  return actors;
}

test('chunks pushed concurrently arrive in order, and end where the giver ends', async () => {
  const channel = new WarmChannel();
  const received = drain(channel);
  await Promise.all(['a', 'b', 'c'].map((actor) => channel.push({ actor })));
  channel.end();
  assert.deepEqual(await received, ['a', 'b', 'c']);
});

test('a push waits until the receiver has asked for the next one', async () => {
  const channel = new WarmChannel();
  const receiver = channel[Symbol.asyncIterator]();
  let taken = false;
  const pushed = channel.push({ actor: 'a' }).then(() => {
    taken = true;
  });
  await receiver.next();
  assert.equal(taken, false);
  void receiver.next();
  await pushed;
  assert.equal(taken, true);
});

test('a discarded channel does not block the giver', async () => {
  const channel = new WarmChannel();
  const waiting = channel.push({ actor: 'a' });
  channel.discard();
  await waiting;
  await channel.push({ actor: 'b' });
  channel.end();
  assert.deepEqual(await drain(channel), []);
});
