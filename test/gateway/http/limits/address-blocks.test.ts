import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import WebSocket from 'ws';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { cachedTogether } from '../../../../compose/cached-rows.js';
import { AddressBlocks } from '../../../../gateway/http/limits/address-blocks.js';
import { rangeText } from '../../../../gateway/oauth/sign-up-limits.js';
import { InstanceEntries } from '../../../../gateway/settings/entries.js';
import { MemoryTables } from '../../../../store/memory/memory-tables.js';
import { put, remove } from '../../../../store/port.js';
import { instanceEntries } from '../../../../store/tables.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { urlOf } from '../../../kit/network/sockets.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { OwnTime } from '../../../kit/time/own-time.js';
import { until } from '../../../kit/time/until.js';
import { realClock } from '../../../transport/real-clock.js';

const PATH = '/api/v1/admin/ip_blocks';
let server: TestServer;
let admin: Person;
before(async () => {
  server = await TestServer.start();
  admin = await server.staff('chief', 'admin');
});
after(() => server?.stop());

const from = (address: string) => ({ 'x-forwarded-for': address });
const status = async (address: string, path = '/api/v1/instance', method = 'GET', body?: unknown) =>
  (await server.ask(method, path, body, undefined, from(address))).status;
/** A write takes effect on its own node at once, at most a round of the event loop later. */
const known = (address: string, wanted: number) =>
  until(`${address} to get ${wanted}`, async () => (await status(address)) === wanted || undefined, 1_000);

test('no_access refuses every request of an address, and no other severity does', async () => {
  const made = (await admin.post(PATH, { ip: '203.0.113.9/28', severity: 'no_access' })).body;
  assert.equal(made.ip, '203.0.113.0/28');
  await admin.post(PATH, { ip: '203.0.113.77', severity: 'sign_up_block' });
  await known('203.0.113.4', 403);
  const refused = await server.ask('GET', '/api/v1/instance', undefined, undefined, from('203.0.113.15'));
  assert.deepEqual([refused.status, refused.body], [403, { error: 'Requests from your address are blocked' }]);
  const all: readonly (readonly [string, string, unknown?])[] = [
    ['GET', '/'],
    ['GET', '/nothing/here'],
    ['GET', '/auth/sign_in'],
    ['GET', '/.well-known/nodeinfo'],
    ['OPTIONS', '/api/v1/statuses'],
    ['POST', '/oauth/token', { grant_type: 'client_credentials' }],
    ['POST', '/api/v1/apps', { client_name: 'x', redirect_uris: 'https://example.org/' }],
    ['GET', '/api/v1/streaming/user'],
  ];
  for (const [method, path, body] of all) assert.equal(await status('203.0.113.4', path, method, body), 403, path);
  const as = (token: string) => server.ask('GET', '/api/v1/timelines/home', undefined, token, from('203.0.113.4'));
  assert.equal((await as(admin.token)).status, 403, 'whoever it is');
  for (const address of ['203.0.113.16', '203.0.113.77', '198.51.100.1', '::ffff:203.0.113.16', '2001:db8::1'])
    assert.equal(await status(address), 200, address);
  assert.equal(await status('::ffff:203.0.113.4'), 403, 'however it is written');
  assert.equal(await status('203.0.113.4', '/health/live'), 200, 'load balancers go on asking');
  await admin.put(`${PATH}/${made.id}`, { severity: 'sign_up_block' });
  await known('203.0.113.4', 200);
});

test('a client that is no trusted proxy cannot pass for another address', async () => {
  const made = (await admin.post(PATH, { ip: '203.0.113.32', severity: 'no_access' })).body;
  await known('203.0.113.32', 403);
  assert.equal(await status('198.51.100.1, 203.0.113.32'), 403, 'what a client says of itself is hearsay');
  assert.equal(await status('203.0.113.32, 198.51.100.1'), 200, 'nor does it shut others out');
  assert.equal(await status('203.0.113.32, 127.0.0.5'), 403, 'behind two proxies of ours');
  await admin.remove(`${PATH}/${made.id}`);
  await known('203.0.113.32', 200);
  const exposed = await TestServer.start({ TRUSTED_PROXIES: '192.0.2.1' });
  try {
    const chief = await exposed.staff('chief', 'admin');
    await chief.post(PATH, { ip: '127.0.0.1', severity: 'no_access' });
    const asked = () => exposed.ask('GET', '/api/v1/instance', undefined, undefined, from('198.51.100.1'));
    await until('the address to be shut out', async () => (await asked()).status === 403 || undefined, 1_000);
  } finally {
    await exposed.stop();
  }
});

test('IPv6 addresses are blocked by their ranges, IPv4 addresses in either spelling', async () => {
  await admin.post(PATH, { ip: '2001:db8:1::/48', severity: 'no_access' });
  await admin.post(PATH, { ip: '2001:db8:2:3:8000::/65', severity: 'no_access' });
  await known('2001:db8:2:3:8000::1', 403);
  assert.equal(await status('2001:db8:1:ffff::1'), 403);
  assert.equal(await status('2001:db8:2::1'), 200);
  assert.equal(await status('2001:db8:2:3::1'), 200);
  assert.equal(rangeText('::ffff:192.0.2.7/120'), '192.0.2.0/24');
});

test('a block ends at its expiry', async () => {
  const { id } = (await admin.post(PATH, { ip: '203.0.113.64', severity: 'no_access' })).body;
  await known('203.0.113.64', 403);
  // The block is seen in effect before it can expire, however long that takes.
  await admin.put(`${PATH}/${id}`, { severity: 'no_access', expires_in: 1 });
  await until('the end', async () => (await status('203.0.113.64')) === 200 || undefined, 5_000);
  const [block] = (await admin.get(PATH)).body.filter((one: { id: string }) => one.id === id);
  assert.ok(block === undefined || Date.parse(block.expires_at) <= Date.now(), 'not before its time');
});

test('open streams of an address end within a second of its block', async () => {
  const ada = await server.person('ada');
  const open = (address: string) =>
    new WebSocket(`${urlOf(server).replace('http', 'ws')}/api/v1/streaming?stream=user&access_token=${ada.token}`, {
      headers: from(address),
    });
  const [blocked, other] = [open('203.0.113.80'), open('203.0.113.81')];
  const opened = (socket: WebSocket) => new Promise((resolve) => socket.once('open', resolve));
  await Promise.all([opened(blocked), opened(other)]);
  const events = await EventStream.open(server, 'user', ada.token);
  const closed = new Promise<number>((resolve) => blocked.once('close', resolve));
  const time = new OwnTime();
  await admin.post(PATH, { ip: '203.0.113.80', severity: 'no_access' });
  assert.equal(await closed, 1008);
  assert.ok(time.stop() < 1_000);
  assert.deepEqual([other.readyState, events.ended], [WebSocket.OPEN, false]);
  const again = open('203.0.113.80');
  const refused = await new Promise<string>((resolve) => again.once('error', (error) => resolve(error.message)));
  assert.match(refused, /403/);
  other.terminate();
  await events.close();
});

test('a block of one node takes effect on the others within a second, without another read of the store', async () => {
  const shared = new MemoryTables();
  const hub = new InProcessHub(realClock);
  const nodes = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const tables = await cachedTogether(shared, hub.bus(name), name);
      const entries = new InstanceEntries(tables);
      const blocks = await AddressBlocks.open({
        entries,
        clock: realClock,
        failed: (error) => assert.fail(String(error)),
      });
      return { tables, blocks };
    }),
  );
  const [one, two] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
  const id = '000000000000000042';
  const key = { collection: 'ip_blocks', entry: id };
  const address = { severity: 'no_access', comment: '', expiresAtMs: 0 };
  const entry = { collection: 'ip_blocks', id, key: '192.0.2.0/24', atMs: 0, updatedAtMs: 0, address };
  assert.equal(two.blocks.any, false);
  await one.tables.write([put(instanceEntries, key, entry)]);
  await until('the other node to know', async () => two.blocks.has('192.0.2.200') || undefined, 1_000);
  let reads = 0;
  const range = shared.range.bind(shared);
  shared.range = (table, partition, options) => {
    reads++;
    return range(table, partition, options);
  };
  for (let asked = 0; asked < 1_000; asked++) assert.equal(two.blocks.has('192.0.2.7'), true);
  assert.equal(reads, 0);
  await one.tables.write([remove(instanceEntries, key)]);
  await until('the other node to forget', async () => !two.blocks.any || undefined, 1_000);
});

test('a decision takes effect when its notification arrives, in order, even if the store is unavailable', async () => {
  const shared = new MemoryTables();
  const hub = new InProcessHub(realClock);
  const [one, two] = [
    await cachedTogether(shared, hub.bus('one'), 'one'),
    await cachedTogether(shared, hub.bus('two'), 'two'),
  ];
  const opened = async (tables: typeof one) => {
    const entries = new InstanceEntries(tables);
    const source = { entries, clock: realClock, failed: (error: unknown) => assert.fail(String(error)) };
    return { entries, blocks: await AddressBlocks.open(source) };
  };
  const [here, there] = [await opened(one), await opened(two)];
  shared.range = () => Promise.reject(new Unavailable('the store sleeps'));
  let heard = 0;
  two.onChanged(() => (heard += 1));
  const change = async (n: number, severity: string | undefined) => {
    const id = `00000000000000000${n}`;
    const key = { collection: 'ip_blocks', entry: id };
    const address = { severity: severity ?? '', comment: '', expiresAtMs: 0 };
    const entry = { collection: 'ip_blocks', id, key: `192.0.2.${n}/32`, atMs: 0, updatedAtMs: 0, address };
    const before = heard;
    await one.write([severity === undefined ? remove(instanceEntries, key) : put(instanceEntries, key, entry)]);
    await until('the other node to hear', () => heard > before, 60_000);
    const kept = await Promise.all([here, there].map(({ entries }) => entries.of('ip_blocks')));
    assert.deepEqual(kept[0], kept[1]);
    const blocked = [here, there].map(({ blocks }) => [1, 2, 3].filter((last) => blocks.has(`192.0.2.${last}`)));
    assert.deepEqual(blocked[0], blocked[1]);
    return [kept[0]?.map((each) => Number(each.id)), blocked[0]];
  };
  assert.deepEqual(await change(3, 'no_access'), [[3], [3]]);
  assert.deepEqual(await change(1, 'no_access'), [
    [1, 3],
    [1, 3],
  ]);
  assert.deepEqual(await change(2, 'sign_up_block'), [
    [1, 2, 3],
    [1, 3],
  ]);
  assert.deepEqual(await change(3, 'sign_up_block'), [[1, 2, 3], [1]]);
  assert.deepEqual(await change(1, undefined), [[2, 3], []]);
});

test('a read that fails for a moment is repeated', async () => {
  const shared = new MemoryTables();
  const tables = await cachedTogether(shared, new InProcessHub(realClock).bus('one'), 'one');
  const failures: unknown[] = [];
  const blocks = await AddressBlocks.open({
    entries: new InstanceEntries(tables),
    clock: realClock,
    failed: (error) => failures.push(error),
  });
  const range = shared.range.bind(shared);
  shared.range = async (table, partition, options) => {
    if (failures.length === 0) throw new Error('the store sleeps');
    return range(table, partition, options);
  };
  const address = { severity: 'no_access', comment: '', expiresAtMs: 0 };
  const entry = {
    collection: 'ip_blocks',
    id: '000000000000000042',
    key: '192.0.2.7/32',
    atMs: 0,
    updatedAtMs: 0,
    address,
  };
  await shared.write([put(instanceEntries, { collection: 'ip_blocks', entry: entry.id }, entry)]);
  tables.forget(undefined);
  await until('the block to hold', async () => blocks.has('192.0.2.7') || undefined, 5_000);
  assert.equal(failures.length, 1);
});
