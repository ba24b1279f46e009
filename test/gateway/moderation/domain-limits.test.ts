import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NO_LIMITS } from '../../../actors/domain/servers/domain-policy.js';
import { put, type Tables } from '../../../store/port.js';
import { accounts, statuses } from '../../../store/tables.js';
import { sendForm } from '../../kit/network/multipart.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { DOT } from '../../scenarios/worlds/set-up-world.js';

const WAIT_MS = 10_000;
const FAR = 'far.example';
const BLOCKS = '/api/v1/admin/domain_blocks';

let server: TestServer;
let admin: Person;
before(async () => {
  server = await TestServer.start();
  admin = await server.staff('chief', 'admin');
});
after(() => server.stop());

const policyOf = (domain: string, at = server) => at.node.services.limits.domains.of(domain);

/** Limits a domain for the duration of a test. */
async function limited(domain: string, limit: object, test: () => Promise<void> | void): Promise<void> {
  const before = policyOf(domain);
  const made = await admin.post(BLOCKS, { domain, ...limit });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  await test();
  await admin.remove(`${BLOCKS}/${made.body.id}`);
  assert.deepEqual(policyOf(domain), before, 'the limit ended with its removal');
}

test('a limit holds at once for every spelling of the domain and for its subdomains, and for no other domain', async () => {
  await limited('Bücher.Example.', { severity: 'suspend' }, () => {
    for (const same of ['bücher.example', 'xn--bcher-kva.example', 'XN--BCHER-KVA.EXAMPLE', 'bücher.example.'])
      assert.equal(policyOf(same).suspended, true, same);
    for (const below of ['a.bücher.example', 'b.a.xn--bcher-kva.example', 'a.bücher.example:8443'])
      assert.equal(policyOf(below).suspended, true, below);
    for (const other of ['example', 'notbücher.example', 'bücher.example.net', 'bucher.example', ''])
      assert.equal(policyOf(other).suspended, false, other);
  });
});

test('the limit of a subdomain comes before that of its domain', async () => {
  await limited('wide.example', { severity: 'suspend' }, () =>
    limited('good.wide.example', { severity: 'noop', reject_media: true }, () => {
      assert.deepEqual(policyOf('good.wide.example'), { ...NO_LIMITS, rejectsMedia: true });
      assert.equal(policyOf('a.good.wide.example').suspended, false);
      assert.equal(policyOf('bad.wide.example').suspended, true);
    }),
  );
});

test('a suspension includes everything; a silenced server may still send media and reports', async () => {
  await limited(FAR, { severity: 'suspend' }, () =>
    assert.deepEqual(policyOf(FAR), { suspended: true, silenced: true, rejectsMedia: true, rejectsReports: true }),
  );
  await limited(FAR, { severity: 'silence', reject_reports: true }, async () => {
    assert.deepEqual(policyOf(FAR), { suspended: false, silenced: true, rejectsMedia: false, rejectsReports: true });
    const [block] = (await admin.get(BLOCKS)).body;
    await admin.put(`${BLOCKS}/${block.id}`, { severity: 'noop' });
    assert.deepEqual(policyOf(FAR), { ...NO_LIMITS, rejectsReports: true }, 'a change takes effect at once');
  });
});

/** Gives an account, and its statuses, the domain of another server in their rows, which all readers use. */
async function movesAway({ id }: Person, statusIds: readonly string[]): Promise<void> {
  const tables = server.node.services.tables as unknown as Tables;
  const record = await tables.get(accounts, { account: id });
  assert.ok(record);
  await tables.write([put(accounts, { account: id }, { ...record, domain: FAR })]);
  for (const status of statusIds) {
    const row = await tables.get(statuses, { status });
    assert.ok(row);
    await tables.write([put(statuses, { status }, { ...row, domain: FAR })]);
  }
}

test('nothing of a suspended server is shown; its accounts look suspended and cannot be followed', async () => {
  const [far, viewer] = [await server.person('farauthor'), await server.person('farviewer')];
  await viewer.follows(far);
  const id = await far.says('from far away');
  await until('the post at home', async () => (await shownTo(viewer)).includes(id) || undefined, WAIT_MS);
  await movesAway(far, [id]);
  await limited(FAR, { severity: 'suspend' }, async () => {
    assert.equal((await viewer.get(`/api/v1/statuses/${id}`)).status, 404);
    assert.deepEqual((await shownTo(viewer)).includes(id), false);
    const { body: account } = await viewer.get(`/api/v1/accounts/${far.id}`);
    assert.deepEqual([account.suspended, account.note], [true, '']);
    assert.deepEqual((await viewer.get(`/api/v1/accounts/${far.id}/statuses`)).body, []);
    assert.equal((await admin.post(`/api/v1/accounts/${far.id}/follow`)).status, 404);
    assert.deepEqual((await admin.get('/api/v2/search?type=accounts&q=farauthor')).body.accounts, []);
  });
  assert.equal((await viewer.get(`/api/v1/statuses/${id}`)).status, 200, 'the end of the limit shows it again');
  assert.equal((await viewer.get(`/api/v1/accounts/${far.id}`)).body.suspended, undefined);
});

test('public timelines show statuses of a silenced server only to followers of their authors', async () => {
  const [far, follower, stranger] = [
    await server.person('quietauthor'),
    await server.person('quietfollower'),
    await server.person('quietstranger'),
  ];
  await follower.follows(far);
  const id = await far.says('from a quiet place');
  await movesAway(far, [id]);
  const publicly = async (viewer: Person) =>
    (await viewer.get('/api/v1/timelines/public')).body.map((status: { id: string }) => status.id).includes(id);
  assert.equal(await publicly(stranger), true);
  await limited(FAR, { severity: 'silence' }, async () => {
    assert.deepEqual([await publicly(stranger), await publicly(follower)], [false, true]);
    assert.equal((await stranger.get(`/api/v1/statuses/${id}`)).status, 200);
  });
});

test('statuses of a server whose media are rejected are shown without media, also when reblogged', async () => {
  const [far, viewer] = [await server.person('pictured'), await server.person('looker')];
  const { body: media } = await sendForm(far, 'POST', '/api/v2/media', { file: new Uint8Array(DOT) });
  const id = await far.says('with a picture', { media_ids: [media.id] });
  const { body: reblog } = await viewer.post(`/api/v1/statuses/${id}/reblog`);
  await movesAway(far, [id]);
  const shown = async (): Promise<number[]> => {
    const [one, other] = [
      await viewer.get(`/api/v1/statuses/${id}`),
      await viewer.get(`/api/v1/statuses/${reblog.id}`),
    ];
    return [one.body.media_attachments.length, other.body.reblog.media_attachments.length];
  };
  assert.deepEqual(await shown(), [1, 1]);
  await limited(FAR, { severity: 'noop', reject_media: true }, async () => assert.deepEqual(await shown(), [0, 0]));
  assert.deepEqual(await shown(), [1, 1]);
});

test('limited federation: every server that is not allowed is suspended, at once after the permission ends', async () => {
  const closed = await TestServer.start({ LIMITED_FEDERATION: 'on' });
  try {
    const chief = await closed.staff('chief', 'admin');
    assert.deepEqual([policyOf(FAR, closed).suspended, policyOf('', closed).suspended], [true, false]);
    const { body } = await chief.post('/api/v1/admin/domain_allows', { domain: 'FAR.example' });
    assert.deepEqual(
      [FAR, 'sub.far.example', 'far.example:444'].map((one) => policyOf(one, closed).suspended),
      [false, true, false],
    );
    await chief.remove(`/api/v1/admin/domain_allows/${body.id}`);
    assert.equal(policyOf(FAR, closed).suspended, true);
  } finally {
    await closed.stop();
  }
});

async function shownTo(viewer: Person): Promise<string[]> {
  return (await viewer.get('/api/v1/timelines/home')).body.map((status: { id: string }) => status.id);
}
