import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ForeignServer } from '../../../kit/federation/foreign-server.js';
import { type SecureServer, TrustedLoopback } from '../../../kit/federation/trusted-loopback.js';
import { makePeople, type Person } from '../../cluster/people.js';
import { distrust, exchange } from './exchange.js';

const { TEST_NODES, TEST_PEERS } = process.env;
assert.ok(TEST_NODES && TEST_PEERS, 'scripts/test.mjs names the newer Node programs and the folder of other servers');
const node = (JSON.parse(TEST_NODES) as Record<string, string>)[22] ?? '';
const script = join(import.meta.dirname, '../../../../../test/peers/fedify-server.mjs');

let loopback: TrustedLoopback;
let server: SecureServer;
let ada: Person;
const peers: ForeignServer[] = [];
before(async () => {
  loopback = await TrustedLoopback.open();
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  for (const peer of peers) await peer.stop();
  await server?.dispose();
  await loopback?.close();
});

const start = (scheme: string, environment: Readonly<Record<string, string>>): ForeignServer => {
  const { keyPath, path } = loopback.certificate;
  const peer = ForeignServer.start(node, [script, TEST_PEERS, scheme, keyPath, path], environment);
  peers.push(peer);
  return peer;
};

for (const scheme of ['draft-cavage-http-signatures-12', 'rfc9421']) {
  test(`a Fedify server that signs by ${scheme} follows and is followed, reads posts and writes them`, async () => {
    await exchange(server.url, ada, start(scheme, loopback.environment));
  });
}

test('a Fedify server follows nobody of a server whose certificate it does not trust', async () => {
  await distrust(server.url, ada, start('rfc9421', {}));
});
