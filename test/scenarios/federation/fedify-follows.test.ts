import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const { TEST_NODES, TEST_PEERS } = process.env;
assert.ok(TEST_NODES && TEST_PEERS, 'scripts/test.mjs names the newer Node programs and the folder of other servers');
const node = (JSON.parse(TEST_NODES) as Record<string, string>)[22] ?? '';
const script = join(import.meta.dirname, '../../../../test/peers/fedify-server.mjs');
/** Timeout of an effect: on a busy machine the first attempt of a delivery may time out, and the next is a minute later. */
const SEEN_MS_MAX = 240_000;

/** A line that the Fedify server prints. */
interface Said {
  readonly type: string;
  readonly port?: number;
  readonly object?: string;
  readonly kind?: string;
  readonly content?: string;
}

let server: ServerProcess;
let ada: Person;
const peers: ChildProcess[] = [];
before(async () => {
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  for (const peer of peers) {
    peer.kill();
    await once(peer, 'exit');
  }
  await server?.dispose();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
const ask = (method: string, path: string, body?: object): Promise<any> => call(server.url, ada, method, path, body);
const seen = <T>(what: string, condition: () => Promise<T> | T) => until(what, condition, SEEN_MS_MAX);

for (const scheme of ['draft-cavage-http-signatures-12', 'rfc9421']) {
  test(`a Fedify server that signs by ${scheme} follows and is followed, reads posts and writes them`, async () => {
    const peer = spawn(node, [script, TEST_PEERS, scheme], { stdio: ['pipe', 'pipe', 'inherit'] });
    peers.push(peer);
    const said: Said[] = [];
    createInterface({ input: peer.stdout }).on('line', (line) => {
      if (line.startsWith('{')) said.push(JSON.parse(line) as Said);
    });
    const heard = (type: string) => said.filter((one) => one.type === type);
    const { port } = (await seen('the server', () => heard('listens')[0])) as Said;
    const acct = `fred@127.0.0.1:${port}`;
    const found = await ask('GET', `/api/v2/search?q=@${acct}&resolve=true`);
    const [fred] = found.accounts;
    assert.equal(fred?.acct, acct);
    const relation = async () => (await ask('GET', `/api/v1/accounts/relationships?id[]=${fred.id}`))[0];
    await ask('POST', `/api/v1/accounts/${fred.id}/follow`);
    await seen('a follow', async () => (await relation()).following);
    assert.ok(heard('Follow').length > 0);
    peer.stdin.write(`follow ${server.url}/users/ada\n`);
    await seen('a follower', async () => (await relation()).followed_by);
    await seen('an Accept', () => heard('Accept').length > 0);
    const about = (type: string, uri: string) => heard(type).find(({ object }) => object === uri);
    const made = await ask('POST', '/api/v1/statuses', { status: 'first words' });
    const created = await seen('a Create', () => about('Create', made.uri));
    assert.deepEqual([created?.kind, created?.content], ['Note', '<p>first words</p>']);
    await ask('PUT', `/api/v1/statuses/${made.id}`, { status: 'better words' });
    assert.equal((await seen('an Update', () => about('Update', made.uri)))?.content, '<p>better words</p>');
    await ask('POST', `/api/v1/statuses/${made.id}/pin`);
    await seen('an Add', () => about('Add', made.uri));
    peer.stdin.write(`like ${server.url}/users/ada ${made.uri}\n`);
    await seen('a favourite', async () => (await ask('GET', `/api/v1/statuses/${made.id}`)).favourites_count === 1);
    await ask('DELETE', `/api/v1/statuses/${made.id}`);
    await seen('a Delete', () => about('Delete', made.uri));

    const theirs = async () =>
      (await ask('GET', '/api/v1/timelines/home')).filter(
        ({ account }: { account: { id: string } }) => account.id === fred.id,
      );
    peer.stdin.write(`post ${server.url}/users/ada 1 words of Fred\n`);
    const [copy] = await seen('a status', async () => ((await theirs()).length > 0 ? theirs() : undefined));
    assert.match(copy.content, /words of Fred/);
    await ask('POST', `/api/v1/statuses/${copy.id}/favourite`);
    await seen('a Like', () => about('Like', copy.uri));
    await ask('POST', `/api/v1/statuses/${copy.id}/reblog`);
    await seen('an Announce', () => about('Announce', copy.uri));
    peer.stdin.write(`edit ${server.url}/users/ada 1 edited words\n`);
    await seen('an edit', async () => /edited words/.test((await ask('GET', `/api/v1/statuses/${copy.id}`)).content));
    peer.stdin.write(`delete ${server.url}/users/ada 1\n`);
    await seen('no status', async () => (await theirs()).length === 0);
    await ask('POST', `/api/v1/accounts/${fred.id}/remove_from_followers`);
    await seen('a Reject', () => heard('Reject').length > 0);
    await ask('POST', `/api/v1/accounts/${fred.id}/unfollow`);
    await seen('an Undo', () => heard('Undo').length > 0);
    assert.deepEqual(heard('Undo')[0], { type: 'Undo', of: 'Follow' });
    assert.deepEqual(heard('error'), []);
  });
}
