import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { makeId } from '../../../../actors/domain/ids.js';
import type { StreamSources } from '../../../../gateway/streaming/sources.js';
import type { StoreStatusRecord } from '../../../../proto/gen/types.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, GatewayFixture, realClock } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, rendering } from '../no-sources.js';
import { plainStatus, tell } from '../told-status.js';

const WAIT_MS = 30_000;
const READ_FIRST = 5;
/** Together far more than the sockets' buffers and the bytes that may wait. */
const POSTS = 150;
const PADDING = 'x'.repeat(200_000);

const bus = new InProcessHub(realClock).bus('one');
const gateway = new GatewayFixture(bus);
const stored: StoreStatusRecord[] = [];
const sources: StreamSources = {
  ...NO_SOURCES,
  ...rendering(({ id }) => ({ id, content: PADDING })),
  publicSince: async (_viewer, sinceId, limit) => stored.filter(({ id }) => id > sinceId).slice(0, limit),
  nowOf: async (ids) => ids.map((id) => stored.find((one) => one.id === id)),
};

before(async () => {
  await gateway.start([], { streams: sources }, (async () => NO_RELATIONS) as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

let minted = 0;
function post(): string {
  const status = plainStatus(makeId(Date.now(), 0, minted++), ALICE);
  stored.push(status);
  tell(bus, 'update', status);
  return status.id;
}

/** A reader that can stop reading. */
interface Reader {
  readonly ids: string[];
  position: string | undefined;
  ended: boolean;
  pause(): void;
  resume(): void;
  close(): void;
}

const blank = () => ({ ids: [] as string[], position: undefined as string | undefined, ended: false });

async function socket(since?: string): Promise<Reader> {
  const query = `stream=public&access_token=alice${since === undefined ? '' : `&since=${since}`}`;
  const open = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/v1/streaming?${query}`);
  const close = () => open.terminate();
  const reader: Reader = { ...blank(), pause: () => open.pause(), resume: () => open.resume(), close };
  open.on('error', () => {});
  open.on('close', () => {
    reader.ended = true;
  });
  open.on('message', (bytes) => {
    const frame = JSON.parse(String(bytes)) as { event: string; payload: string; event_id?: string };
    reader.ids.push((JSON.parse(frame.payload) as { id: string }).id);
    reader.position = frame.event_id;
  });
  await new Promise((resolve, reject) => open.once('open', resolve).once('error', reject));
  return reader;
}

async function events(since?: string): Promise<Reader> {
  const headers = { authorization: 'Bearer alice', ...(since === undefined ? {} : { 'last-event-id': since }) };
  const request = get(`${gateway.url}/api/v1/streaming/public`, { headers });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  const reader: Reader = {
    ...blank(),
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => response.destroy(),
  };
  let rest = '';
  const end = () => {
    reader.ended = true;
  };
  response.on('error', end).on('close', end);
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, data, id] = /^data: (.*)\nid: (.*)$/m.exec(block) ?? [];
      if (data === undefined) continue;
      reader.ids.push((JSON.parse(data) as { id: string }).id);
      reader.position = id;
    }
  });
  return reader;
}

for (const [name, open] of [
  ['WebSocket', socket],
  ['stream of server-sent events', events],
] as const) {
  test(`a ${name} that stops reading is dropped, and resumes without a gap or a repeat`, async () => {
    const [slow, quick] = [await open(), await open()];
    await until('the first post', () => post() !== '' && slow.ids.length > 0 && quick.ids.length > 0, WAIT_MS);
    const first = slow.ids[0] as string;
    for (let n = 0; n < READ_FIRST; n++) post();
    const last = post();
    await until('some posts', () => slow.ids.includes(last), WAIT_MS);
    slow.pause();
    for (let n = 0; n < POSTS; n++) {
      const id = post();
      await until('the other reader', () => quick.ids.includes(id), WAIT_MS);
    }
    slow.resume();
    await until('the end of the slow one', () => slow.ended, WAIT_MS);
    assert.equal(quick.ended, false);
    assert.ok(slow.ids.length < quick.ids.length, 'not everything waited for the reader');
    const ids = [...slow.ids];
    let reader = slow;
    const end = post();
    for (let returns = 0; !ids.includes(end); returns++) {
      assert.ok(returns < 2, 'a catch-up does not send more than its reader takes');
      reader = await open(reader.position);
      await until('the end, or of the stream', () => reader.ids.includes(end) || reader.ended, WAIT_MS);
      ids.push(...reader.ids);
    }
    const wanted = stored.map(({ id }) => id).filter((id) => id >= first);
    assert.deepEqual(ids, wanted);
    for (const one of [reader, quick]) one.close();
  });
}
