import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outbox, unpack } from '../../../transport/nats/outbox.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

/** Creates an outbox on a virtual clock. */
function world() {
  const clock = new VirtualClock();
  const sent: string[] = [];
  const bytes = (text: string) => new TextEncoder().encode(text);
  const outbox = new Outbox((pack) => {
    sent.push(
      unpack(pack)
        .map(({ subject, payload }) => `${subject}:${new TextDecoder().decode(payload)}`)
        .join(' '),
    );
  }, clock);
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { sent, outbox, bytes, turn, clock };
}

test('publications of one turn are one pack, sent before everything else', async () => {
  const { sent, outbox, bytes, turn } = world();
  outbox.pack('rows', bytes('a'));
  outbox.send(() => sent.push('request'));
  outbox.pack('statuses', bytes('a'));
  assert.deepEqual(sent, []);
  await turn();
  assert.deepEqual(sent, ['rows:a statuses:a', 'request']);
});

test('a publication after an answer is sent after it', async () => {
  const { sent, outbox, bytes, clock } = world();
  outbox.pack('rows', bytes('a'));
  outbox.answer(() => sent.push('answer'));
  outbox.pack('rows', bytes('b'));
  await clock.advance(1);
  assert.deepEqual(sent, ['rows:a', 'answer', 'rows:b']);
});

test('a pack has a maximum size', async () => {
  const { sent, outbox, turn } = world();
  for (let index = 0; index < 3; index++) outbox.pack('rows', new Uint8Array(100_000));
  await turn();
  assert.equal(sent.length, 3);
});

test('a second send right after the first waits briefly for others', async () => {
  const { sent, outbox, turn, clock } = world();
  outbox.send(() => sent.push('first'));
  await turn();
  outbox.send(() => sent.push('second'));
  await turn();
  outbox.send(() => sent.push('third'));
  assert.deepEqual(sent, ['first']);
  await clock.advance(1);
  assert.deepEqual(sent, ['first', 'second', 'third']);
});
