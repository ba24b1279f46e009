import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamEvent } from '../../../gateway/streaming/stream-event.js';

const kind = { name: 'public:local', labels: ['public', 'local'] };
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const message = (event: StreamEvent, at?: string) =>
  JSON.parse(text(event.frame(kind, at === undefined ? at : Buffer.from(at))));

test('a message of a WebSocket contains its stream, its event and the position to resume at; a deletion has no position', () => {
  assert.deepEqual(message(new StreamEvent('update', '{"id":"7"}', '8'), '8~2s~-1'), {
    stream: ['public', 'local'],
    event: 'update',
    payload: '{"id":"7"}',
    event_id: '8~2s~-1',
  });
  const deletion = message(new StreamEvent('delete', '7', undefined));
  assert.deepEqual(deletion, { stream: ['public', 'local'], event: 'delete', payload: '7' });
  assert.deepEqual(message(new StreamEvent('filters_changed', undefined, undefined)), {
    stream: ['public', 'local'],
    event: 'filters_changed',
  });
});

test('an event of any size has the position of each connection', () => {
  for (const size of [10, 65_000, 65_536, 300_000]) {
    const event = new StreamEvent('update', JSON.stringify({ text: 'é'.repeat(size) }), '8');
    for (const at of ['8~1', '8~2~3.~4']) {
      const { payload, event_id: position } = message(event, at);
      assert.deepEqual([payload.length, position], [size + '{"text":""}'.length, at]);
    }
  }
});

test('an event is encoded once for each stream', () => {
  const event = new StreamEvent('update', '{}', '8');
  const home = { name: 'user', labels: ['user'] };
  assert.equal(event.frame(kind), event.frame(kind));
  assert.deepEqual(JSON.parse(text(event.frame(home))).stream, ['user']);
  assert.equal(event.sse(), event.sse());
});

test('a server-sent event has data even without a payload; its end and position belong to its connection', () => {
  const sse = (payload: string | undefined) => text(new StreamEvent('update', payload, '8').sse());
  assert.equal(sse('{"id":"7"}'), 'event: update\ndata: {"id":"7"}\n');
  assert.equal(sse(undefined), 'event: update\ndata: {}\n');
});

test('viewers with the same pieces of JSON share one event, encoded once, at the same position', () => {
  const piece = (part: string) => Buffer.from(part);
  const [own, plain, marked] = [piece('{"id":"9"'), piece('}'), piece(',"favourited":true}')];
  const event = new StreamEvent('update', [own, plain], '8');
  assert.equal(event.of([own, plain]), event);
  const variant = event.of([own, marked]);
  assert.equal(event.of([own, marked]), variant);
  assert.notEqual(event.of([own, piece('}')]), event, 'other bytes, although equal');
  assert.deepEqual(
    [variant.event, variant.id, message(variant).payload],
    ['update', '8', '{"id":"9","favourited":true}'],
  );
  assert.deepEqual([message(event).payload, text(event.sse())], ['{"id":"9"}', 'event: update\ndata: {"id":"9"}\n']);
});
