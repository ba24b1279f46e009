import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ForeignServer } from '../../../kit/federation/foreign-server.js';
import { ServerProcess } from '../../../kit/services/server-process.js';
import { makePeople, type Person } from '../../cluster/people.js';
import { exchange } from './exchange.js';

const { TEST_NODES, TEST_PEERS } = process.env;
assert.ok(TEST_NODES && TEST_PEERS, 'scripts/test.mjs names the newer Node programs and the folder of other servers');
const node = (JSON.parse(TEST_NODES) as Record<string, string>)[22] ?? '';
const script = join(import.meta.dirname, '../../../../../test/peers/fedify-server.mjs');

let server: ServerProcess;
let ada: Person;
const peers: ForeignServer[] = [];
before(async () => {
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  for (const peer of peers) await peer.stop();
  await server?.dispose();
});

for (const scheme of ['draft-cavage-http-signatures-12', 'rfc9421']) {
  test(`a Fedify server that signs by ${scheme} follows and is followed, reads posts and writes them`, async () => {
    const peer = ForeignServer.start(node, [script, TEST_PEERS, scheme]);
    peers.push(peer);
    await exchange(server.url, ada, peer);
  });
}
