import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allStatuses, faultsOf, PostingLoad } from '../kit/network/posting-load.js';
import { ServerProcess } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';
import { call, makePeople, type Person } from './cluster/people.js';

const ROUNDS = 3;
/** Posts acknowledged before each kill and after the last restart. */
const POSTS_A_ROUND = 80;
const POSTS_MAX = 5_000;
const PAGES_MAX = 200;
const ROUND_MS_MAX = 120_000;

let server: ServerProcess;
let people: Person[];
before(async () => {
  server = await ServerProcess.start();
  people = await makePeople(server.dataDir, ['ada', 'ben', 'cleo', 'dan', 'reader']);
});
after(() => server?.dispose());

test('kill -9 while posts stream in, three times: every acknowledged post is there, once and in order', async () => {
  const reader = people.at(-1) as Person;
  const authors = people.slice(0, -1);
  for (const author of authors) await call(server.url, reader, 'POST', `/api/v1/accounts/${author.id}/follow`);
  const load = new PostingLoad([server.url], authors, POSTS_MAX);
  const posted = (count: number) =>
    until(`${count} posts acknowledged`, () => load.count >= count || undefined, ROUND_MS_MAX);
  for (let round = 1; round <= ROUNDS; round++) {
    await posted(load.count + POSTS_A_ROUND);
    await server.kill();
    await server.restart();
  }
  await posted(load.count + POSTS_A_ROUND);
  const report = await load.stop();
  assert.ok(report.acknowledged.length >= (ROUNDS + 1) * POSTS_A_ROUND);
  const refused = report.failures.filter((failure) => /^\d/.test(failure));
  assert.deepEqual(refused, [], 'what was answered was answered well; the rest broke off');

  const faults: string[] = [];
  const home = await allStatuses(server.url, '/api/v1/timelines/home', reader.token, PAGES_MAX);
  for (const author of authors) {
    const own = await allStatuses(server.url, `/api/v1/accounts/${author.id}/statuses`, reader.token, PAGES_MAX);
    faults.push(...faultsOf(own, author.id, report));
    const theirs = home.filter((status) => status.account === author.id);
    faults.push(...faultsOf(theirs, author.id, report).map((fault) => `home: ${fault}`));
    const account = (await call(server.url, reader, 'GET', `/api/v1/accounts/${author.id}`)) as {
      statuses_count: number;
    };
    if (account.statuses_count !== own.length) {
      faults.push(`${author.name}: counted ${account.statuses_count}, has ${own.length}`);
    }
  }
  assert.deepEqual(faults, []);
});
