import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { StreamSubscription } from '../../../gateway/streaming/connection.js';
import { PublishedClock } from '../../../gateway/streaming/published-clock.js';
import { StreamEvent } from '../../../gateway/streaming/stream-event.js';
import { streamNamed } from '../../../gateway/streaming/stream-kinds.js';
import { REPEAT_ROWS } from '../../../gateway/viewing/repeat-window.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { realClock } from '../http/gateway-fixture.js';

let minted = 0;
const newId = () => makeId(1_700_000_000_000 + minted++, 7, 0);

/** A stream, and its events. */
function opened(name: string) {
  const kind = streamNamed(name);
  assert.ok(kind !== undefined);
  const sent: string[] = [];
  const socket = {
    send: (event: StreamEvent) => sent.push(event.id ?? ''),
    heartbeat: () => {},
    drained: () => undefined,
    close: () => {},
  };
  const stream = new StreamSubscription(
    kind,
    ['read'],
    socket,
    { floor: newId(), sent: [] },
    new PublishedClock(realClock),
  );
  const shows = (reblogOfId?: string): string => {
    const record = { id: newId(), reblogOfId, editedAtMs: 0 } as StoreStatusRecord;
    stream.status(new StreamEvent('update', '{}', record.id), record);
    return record.id;
  };
  const gone = (id: string) => stream.deleted(new StreamEvent('delete', id, undefined), id);
  return { shows, gone, isSent: (id: string) => sent.includes(id) };
}

test('home streams no reblog of a status that it has just sent, as the status or as another reblog', () => {
  const { shows, isSent } = opened('user');
  const original = shows();
  assert.ok(isSent(original) && !isSent(shows(original)) && !isSent(shows(original)));
  const stranger = newId();
  assert.deepEqual([shows(stranger), shows(stranger)].map(isSent), [true, false]);
});

test('home streams the reblog after the status is deleted, or long after it', () => {
  const { shows, gone, isSent } = opened('user');
  const stranger = newId();
  gone(shows(stranger));
  assert.ok(isSent(shows(stranger)));
  const original = shows();
  for (let n = 1; n < REPEAT_ROWS; n++) shows();
  assert.ok(!isSent(shows(original)));
  shows();
  assert.ok(isSent(shows(original)));
});

test('other streams send each status', () => {
  const { shows, isSent } = opened('public');
  const original = shows();
  assert.ok(isSent(shows(original)));
});
