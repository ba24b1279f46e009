import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { idShard } from '../../../actors/domain/ids.js';
import { operatorClient } from '../../../cli/operator-socket.js';
import { HeldLine } from '../../kit/network/held-line.js';
import { askAt } from '../../kit/network/sockets.js';
import { ClusterNodes } from '../../kit/services/cluster-nodes.js';
import { until } from '../../kit/time/until.js';
import { makePeople, type Person } from './people.js';

/** Timeout of a takeover: a lease of 6 s expires, its shards are taken over, and earlier requests are refused. */
const TAKEOVER_MS_MAX = 60_000;
const STORED_MS_MAX = 30_000;
/** Number of reports, each of which lives on one of three nodes. */
const REPORTS = 12;

let cluster: ClusterNodes;
let lines: HeldLine[];
before(async () => {
  const nats = process.env.TEST_NATS_URL ?? '';
  lines = [await HeldLine.open(nats), await HeldLine.open(nats), await HeldLine.open(nats)];
  cluster = await ClusterNodes.start({}, { own: (index) => ({ NATS_URL: lines[index]?.url ?? '' }) });
});
after(async () => {
  await cluster?.dispose();
  for (const line of lines) await line.close();
});

type Shown = Awaited<ReturnType<typeof askAt>>;
interface Wish {
  readonly path: string;
  readonly body: object;
  readonly key: string;
  readonly by: Person;
}

const send = (node: number, { path, body, key, by }: Wish) =>
  askAt(cluster.node(node).url, 'POST', path, body, by.token, { 'idempotency-key': key });

/** Repeats a request like a client that gets no definite answer. */
const sendUntilAnswered = (node: number, wish: Wish): Promise<Shown> =>
  until(
    `an answer to ${wish.key}`,
    async () => {
      const answer = await send(node, wish);
      return answer.status === 503 ? undefined : answer;
    },
    TAKEOVER_MS_MAX,
  );

const shown = async <T>(node: number, path: string, token: string): Promise<readonly T[]> => {
  const { status, body } = await askAt(cluster.node(node).url, 'GET', path, undefined, token);
  return status === 200 ? body : [];
};
type Made = { readonly id: string; readonly content?: string };

/** Asserts that a node shows one object for each request: the lists, filters, hashtags and statuses, then the reports. */
async function assertOnce(
  node: number,
  ada: Person,
  repeats: readonly { readonly body: Shown['body'] }[],
  reports: (node: number) => Promise<readonly Made[]>,
): Promise<void> {
  for (const [index, path] of ['/api/v1/lists', '/api/v2/filters', '/api/v1/featured_tags'].entries())
    assert.deepEqual(
      (await shown<Made>(node, path, ada.token)).map(({ id }) => id),
      [repeats[index]?.body.id],
      path,
    );
  const statuses = await until(
    'the status',
    async () => {
      const found = await shown<Made>(node, `/api/v1/accounts/${ada.id}/statuses`, ada.token);
      return found.length > 0 ? found : undefined;
    },
    TAKEOVER_MS_MAX,
  );
  assert.deepEqual(
    statuses.map(({ id }) => id),
    [repeats[3]?.body.id],
  );
  assert.deepEqual(
    (await reports(node)).map(({ id }) => id).sort(),
    repeats
      .slice(4)
      .map(({ body }) => body.id)
      .sort(),
  );
}

test('kill -9 of the owner between its write and its answer: the repetition creates nothing more, and returns the first id', async () => {
  const dataDir = cluster.node(0).dataDir;
  const [ada] = (await makePeople(dataDir, ['ada'])) as [Person];
  const moderator = await operatorClient(dataDir)('account.create', {
    ...{ username: 'mod', email: 'mod@example.org', password: 'correct horse battery', confirmed: true, role: 'admin' },
    token: { scopes: 'read write admin:read admin:write' },
  });
  const victim = await cluster.ownerOf(idShard(ada.id));
  const [near, other] = [(victim + 1) % 3, (victim + 2) % 3];
  // Filing a report asks its reporter about visibility first: only the reports must be in doubt, so the reporter lives
  // elsewhere.
  let reporter = ada;
  for (let number = 0; (await cluster.ownerOf(idShard(reporter.id))) === victim; number++)
    [reporter] = (await makePeople(dataDir, [`reporter${number}`])) as [Person];
  const made = [
    { path: '/api/v1/lists', body: { title: 'friends' }, key: 'a list' },
    { path: '/api/v2/filters', body: { title: 'dull', context: ['home'] }, key: 'a filter' },
    { path: '/api/v1/featured_tags', body: { name: 'once' }, key: 'a hashtag' },
    { path: '/api/v1/statuses', body: { status: 'once' }, key: 'a status' },
  ].map((wish) => ({ ...wish, by: ada }));
  const filed: Wish[] = Array.from({ length: REPORTS }, (_, number) => ({
    path: '/api/v1/reports',
    body: { account_id: ada.id, comment: `report ${number}` },
    key: `report ${number}`,
    by: reporter,
  }));
  const wishes = [...made, ...filed];
  const reports = (node: number) => shown<Made>(node, '/api/v1/admin/reports', moderator.token ?? '');

  lines[victim]?.hold();
  const firsts = wishes.map((wish) => send(near, wish));
  // The owner reports its own stored data; rows report those of other accounts.
  const stored = async (path: string) => (await shown<Made>(victim, path, ada.token))[0]?.id;
  const [list, filter, tag] = await Promise.all(
    ['/api/v1/lists', '/api/v2/filters', '/api/v1/featured_tags'].map((path) =>
      until(path, () => stored(path), STORED_MS_MAX),
    ),
  );
  await until('all reports', async () => (await reports(other)).length === REPORTS || undefined, STORED_MS_MAX);
  await cluster.node(victim).kill();

  const answers = await Promise.all(firsts);
  for (const [index, { status, body }] of answers.entries())
    assert.ok([200, 503].includes(status), `${wishes[index]?.key}: ${status} ${JSON.stringify(body)}`);
  const repeats = await Promise.all(wishes.map((wish) => sendUntilAnswered(other, wish)));
  for (const [index, { status, body }] of repeats.entries()) {
    const key = wishes[index]?.key;
    assert.equal(status, 200, `${key}: ${JSON.stringify(body)}`);
    if (answers[index]?.status === 200) assert.equal(body.id, answers[index]?.body.id, key);
  }
  assert.deepEqual(
    repeats.slice(0, 3).map(({ body }) => body.id),
    [list, filter, tag],
  );
  for (const node of [near, other]) await assertOnce(node, ada, repeats, reports);
});
