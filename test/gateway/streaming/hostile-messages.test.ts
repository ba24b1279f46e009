import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { TestServer } from '../../kit/services/server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

/** JSON that becomes no text, number or truth without a fault, or a very long one. */
const VALUES = [
  '{"toString":1,"valueOf":2}',
  '[{"toString":1,"valueOf":2}]',
  '{"__proto__":{"toString":1}}',
  `${'['.repeat(1_800)}${']'.repeat(1_800)}`,
  ...['null', 'true', '-1', '1e400', '9007199254740993', '""', '"\\u0000"', '"\\ud800"', '"__proto__"', '"toString"'],
  `"${'ﷺ'.repeat(1_200)}"`,
  `"${'~'.repeat(3_500)}"`,
  `"${'9'.repeat(3_500)}"`,
];
const FIELDS = ['type', 'stream', 'list', 'tag', 'any', 'all', 'none', 'only_media', 'since'];
const STREAMS = ['user', 'list', 'hashtag', 'public'];

test('no message of a WebSocket ends the process, and each that is wrong is refused', async () => {
  const { token } = await server.person('ada');
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/v1/streaming?access_token=${token}`);
  const answers: string[] = [];
  socket.on('message', (bytes) => void answers.push(String(bytes)));
  await once(socket, 'open');
  const send = async (message: string | Buffer) => {
    socket.send(message);
    socket.ping();
    await once(socket, 'pong');
  };
  for (const stream of STREAMS)
    for (const field of FIELDS)
      for (const value of VALUES)
        await send(`{"type":"unsubscribe","stream":"${stream}","tag":"a","list":"1","${field}":${value}}`);
  for (const message of ['', 'null', '1', '"x"', '[]', '{}', '{"type":"subscribe"}', Buffer.from([0xff, 0xfe])])
    await send(message);
  const wrong = answers.length;
  assert.ok(wrong > STREAMS.length * VALUES.length, `${wrong} refusals`);
  await send('{"type":"subscribe","stream":"user","since":{"toString":1,"valueOf":2}}');
  assert.deepEqual(
    answers.slice(wrong).map((answer) => JSON.parse(answer)),
    [{ error: 'Malformed message', status: 400 }],
  );
  assert.equal(socket.readyState, WebSocket.OPEN);
  assert.equal((await server.get('/health')).status, 200);
  socket.close();
});
