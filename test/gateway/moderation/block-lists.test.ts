import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operate } from '../../../cli/operations.js';
import type { Operate } from '../../../cli/operator-socket.js';
import { Refused } from '../../../cli/refused.js';
import { BlockLists, LIST_BYTES_MAX } from '../../../gateway/moderation/block-lists.js';
import { WebPages } from '../../kit/network/web-pages.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

let server: TestServer;
let admin: Person;
let pages: WebPages;
/** Bodies by path; an absent one is a 404. A target of a redirect begins with `http`. */
const bodies: Record<string, string | undefined> = {};
before(async () => {
  pages = await WebPages.open((request, response) => {
    const body = bodies[request.url ?? ''];
    if (body === undefined) response.writeHead(404).end();
    else if (body.startsWith('http')) response.writeHead(302, { location: body }).end();
    else response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end(body);
  });
  server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: '127.0.0.1/32' });
  admin = await server.staff('chief', 'admin');
});
after(async () => {
  await server?.stop();
  await pages?.close();
});

const at = (path: string) => `${pages.url}${path}`;
const run: Operate = (name, input) => operate(server.node, name, input, () => {});
const limits = async () =>
  Object.fromEntries(
    (await run('federation.blocks', {})).blocks.map(({ domain, severity }) => [domain, severity] as const),
  );
const idOf = async (domain: string): Promise<string> =>
  (await admin.get('/api/v1/admin/domain_blocks?limit=200')).body.find(
    (one: { domain: string }) => one.domain === domain,
  )?.id;

test('a draft shows its changes and takes effect when the operator applies it', async () => {
  bodies['/draft.csv'] = '#domain,#severity\ndraft.example,silence\nlocalhost,suspend\n';
  const added = await run('blockList.add', { url: at('/draft.csv'), policy: 'draft' });
  assert.deepEqual([added.applied, added.added, added.problem], [false, 1, null]);
  assert.deepEqual(await limits(), {});
  const { changes, skipped } = await run('blockList.diff', { url: at('/draft.csv') });
  assert.deepEqual([changes, skipped], [[{ act: 'add', domain: 'draft.example', severity: 'silence' }], 1]);
  assert.equal((await run('blockList.apply', { url: at('/draft.csv') })).applied, true);
  assert.deepEqual(await limits(), { 'draft.example': 'silence' });
  assert.deepEqual(await run('blockList.remove', { url: at('/draft.csv'), keep: false }), { limits: 1 });
  assert.deepEqual(await limits(), {});
});

test('the decisions of a person win over a list, also after it was read again, and stay when it is removed', async () => {
  const url = at('/wins.csv');
  bodies['/wins.csv'] = 'own.example\ntaken.example\nfreed.example\nlisted.example\n';
  await admin.post('/api/v1/admin/domain_blocks', { domain: 'own.example', severity: 'silence' });
  await run('blockList.add', { url, policy: 'apply' });
  const softer = { domain: 'taken.example', severity: 'noop' };
  assert.equal((await admin.post('/api/v1/admin/domain_blocks', softer)).status, 200);
  await admin.remove(`/api/v1/admin/domain_blocks/${await idOf('freed.example')}`);
  await run('blockList.apply', { url });
  const decided = { 'own.example': 'silence', 'taken.example': 'noop' };
  assert.deepEqual(await limits(), { ...decided, 'listed.example': 'suspend' });
  const [list] = (await run('blockList.list', {})).lists;
  assert.deepEqual([list?.url, list?.lifted], [url, 1]);
  await run('blockList.remove', { url, keep: false });
  assert.deepEqual(await limits(), decided);
  const { acts } = await run('instance.audit', { limit: 50 });
  const byList = acts.filter(({ by }) => by === url).map(({ action, detail }) => `${action} ${detail}`);
  assert.ok(byList.includes('put domain_blocks listed.example'));
  assert.ok(byList.includes('remove domain_blocks listed.example'));
  for (const domain of Object.keys(decided)) await admin.remove(`/api/v1/admin/domain_blocks/${await idOf(domain)}`);
});

test('a removed list can leave its limits as the operator’s own', async () => {
  bodies['/kept.csv'] = 'kept.example\n';
  await run('blockList.add', { url: at('/kept.csv'), policy: 'apply' });
  assert.deepEqual(await run('blockList.remove', { url: at('/kept.csv'), keep: true }), { limits: 1 });
  assert.deepEqual(await limits(), { 'kept.example': 'suspend' });
  await admin.remove(`/api/v1/admin/domain_blocks/${await idOf('kept.example')}`);
});

test('a list is read daily by one node, and hourly after a failure, which changes nothing', async () => {
  const url = at('/daily.csv');
  bodies['/daily.csv'] = 'one.example\n';
  await run('blockList.add', { url, policy: 'apply' });
  const { services } = server.node;
  let nowMs = services.clock.nowMs();
  const clock = Object.assign(new VirtualClock(), { nowMs: () => nowMs });
  let isMine = false;
  let readings = 0;
  const refused: string[] = [];
  const lists = new BlockLists({
    ...{ services, clock, isMine: () => isMine, failed: (error) => assert.fail(String(error)) },
    refused: (...why) => refused.push(why.join(': ')),
    fetch: async (_url, _types, bytesMax) => {
      readings += 1;
      const bytes = Buffer.from(bodies['/daily.csv'] ?? '');
      return bytes.length === 0 || bytes.length > bytesMax ? undefined : { bytes };
    },
  });
  const after = async (ms: number) => {
    nowMs += ms;
    await lists.readDue();
    return readings;
  };
  bodies['/daily.csv'] = 'two.example\n';
  assert.equal(await after(25 * 3_600_000), 0);
  isMine = true;
  assert.equal(await after(0), 1);
  assert.deepEqual(await limits(), { 'two.example': 'suspend' });
  assert.equal(await after(23 * 3_600_000), 1);
  bodies['/daily.csv'] = undefined;
  assert.equal(await after(2 * 3_600_000), 2);
  bodies['/daily.csv'] = 'large.example\n'.repeat(10_000_000 / 14);
  assert.equal(await after(3_600_000), 3);
  const why = `${url}: The list cannot be fetched as CSV of 2 MB at most`;
  assert.deepEqual(refused, [why, why]);
  assert.deepEqual(await limits(), { 'two.example': 'suspend' });
  const [list] = (await run('blockList.list', {})).lists;
  assert.match(list?.problem ?? '', /cannot be fetched/);
  await run('blockList.remove', { url, keep: false });
});

test('addresses inside, plain HTTP, HTML, files over the limit and too many domains are refused', async () => {
  for (const url of ['https://10.0.0.1/list.csv', 'http://lists.example/list.csv', 'file:///etc/passwd', 'x'])
    await assert.rejects(run('blockList.add', { url, policy: 'apply' }), Refused);
  await assert.rejects(run('blockList.add', { url: at('/x.csv'), policy: 'burn' }), /apply or draft/);
  bodies['/inside.csv'] = 'http://10.0.0.1/list.csv';
  bodies['/plain.csv'] = 'http://lists.example/list.csv';
  bodies['/large.csv'] = `a.example\n${' '.repeat(LIST_BYTES_MAX)}`;
  bodies['/many.csv'] = Array.from({ length: 5_001 }, (_, one) => `d${one}.example`).join('\n');
  bodies['/empty.csv'] = '\n\n';
  for (const path of ['/inside.csv', '/plain.csv', '/large.csv', '/many.csv', '/empty.csv', '/absent.csv']) {
    const { problem, applied } = await run('blockList.add', { url: at(path), policy: 'apply' });
    assert.match(problem ?? '', /cannot be fetched|names (no|more than)/, path);
    assert.equal(applied, false, path);
  }
  assert.deepEqual(await limits(), {});
  await assert.rejects(run('blockList.add', { url: at('/many.csv'), policy: 'apply' }), /added already/);
  await assert.rejects(run('blockList.remove', { url: at('/nothing.csv'), keep: false }), /there is no list/);
});
