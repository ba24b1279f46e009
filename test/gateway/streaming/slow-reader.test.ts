import uws, { type HttpResponse } from 'uWebSockets.js';
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { EventSourceStream } from '../../../gateway/streaming/endpoints/event-source.js';
import { StreamEvent } from '../../../gateway/streaming/stream-event.js';
import { streamNamed } from '../../../gateway/streaming/stream-kinds.js';
import { until } from '../../kit/time/until.js';

/** Timeout of a state, on a busy machine. */
const WAIT_MS = 60_000;
/** Together a fifth of the bytes that may wait. */
const BEHIND = 10;
const EVENT_BYTES = 20_000;

test('events that waited for a slow reader are sent as soon as it reads, even if nothing else happens', async () => {
  const kind = streamNamed('public');
  assert.ok(kind !== undefined);
  const app = uws.App();
  let stream: EventSourceStream | undefined;
  let flowing = true;
  let sent = 0;
  const send = () => {
    const event = new StreamEvent('update', JSON.stringify('x'.repeat(EVENT_BYTES)), String(++sent));
    stream?.send(event, kind, () => Buffer.from(String(sent)));
  };
  app.get('/*', (response: HttpResponse) => {
    response.onAborted(() => stream?.gone());
    const write = response.write.bind(response);
    response.write = (chunk) => {
      flowing = write(chunk);
      return flowing;
    };
    stream = new EventSourceStream(response);
    stream.start('one', false);
    while (flowing) send();
    for (let n = 0; n < BEHIND; n++) send();
  });
  const port = await new Promise<number>((resolve) => {
    app.listen('127.0.0.1', 0, (token) => resolve(token === false ? 0 : uws.us_socket_local_port(token)));
  });
  const reader = connect(port, '127.0.0.1', () => reader.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'));
  try {
    reader.pause();
    await until('what waits', () => !flowing && sent > BEHIND, WAIT_MS);
    let end = '';
    reader.on('data', (bytes) => {
      end = (end + bytes.toString('latin1')).slice(-EVENT_BYTES);
    });
    reader.resume();
    await until('all of it', () => end.includes(`id: ${sent}\n\n`), WAIT_MS);
    assert.ok(flowing, 'nothing waits any more');
  } finally {
    reader.destroy();
    app.close();
  }
});
