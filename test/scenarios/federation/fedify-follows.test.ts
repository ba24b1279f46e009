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
const ask = (method: string, path: string): Promise<any> => call(server.url, ada, method, path);
const seen = <T>(what: string, condition: () => Promise<T> | T) => until(what, condition, SEEN_MS_MAX);

for (const scheme of ['draft-cavage-http-signatures-12', 'rfc9421']) {
  test(`a Fedify server that signs by ${scheme} follows and is followed`, async () => {
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
    await ask('POST', `/api/v1/accounts/${fred.id}/remove_from_followers`);
    await seen('a Reject', () => heard('Reject').length > 0);
    await ask('POST', `/api/v1/accounts/${fred.id}/unfollow`);
    await seen('an Undo', () => heard('Undo').length > 0);
    assert.deepEqual(heard('Undo')[0], { type: 'Undo', of: 'Follow' });
    assert.deepEqual(heard('error'), []);
  });
}
