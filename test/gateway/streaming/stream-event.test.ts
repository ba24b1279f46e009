import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamEvent } from '../../../gateway/streaming/stream-event.js';

const kind = { name: 'public:local', labels: ['public', 'local'] };
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const message = (event: StreamEvent, at?: string) => JSON.parse(text(event.frame(kind, at)));

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

test('a viewer’s variant has more fields, or another entity, at the same position', () => {
  const event = new StreamEvent('update', '{"id":"7"}', '8');
  assert.deepEqual(message(event.with({ filtered: [] })).payload, '{"id":"7","filtered":[]}');
  assert.deepEqual(message(new StreamEvent('update', undefined, '8').with({ a: 1 })).payload, '{"a":1}');
  const other = message(event.of({ id: '9' }));
  assert.deepEqual([other.event, other.payload, event.of({ id: '9' }).id], ['update', '{"id":"9"}', '8']);
});

test('viewers with the same marks share one event; marks of the original are inside the reblog', () => {
  const event = new StreamEvent('update', '{"id":"9","reblog":{"id":"7"}}', '9');
  const none = { favourited: false };
  assert.equal(event.with(none, none), event.with({ ...none }, { ...none }));
  assert.deepEqual(JSON.parse(message(event.with({ favourited: true }, { favourited: true })).payload), {
    id: '9',
    reblog: { id: '7', favourited: true },
    favourited: true,
  });
  assert.deepEqual(JSON.parse(message(event).payload), { id: '9', reblog: { id: '7' } });
});
