import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ForeignServer } from '../../../kit/federation/foreign-server.js';
import { type SecureServer, TrustedLoopback } from '../../../kit/federation/trusted-loopback.js';
import { makePeople, type Person } from '../../cluster/people.js';
import { distrust, exchange } from './exchange.js';

const { TEST_BOVINE = '' } = process.env;
assert.ok(TEST_BOVINE, 'scripts/test.mjs names the Python that has bovine-herd');
const script = join(import.meta.dirname, '../../../../../test/peers/bovine-server.py');

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

const start = (environment: Readonly<Record<string, string>>): ForeignServer => {
  const { keyPath, path } = loopback.certificate;
  const peer = ForeignServer.start(TEST_BOVINE, [script, keyPath, path], environment);
  peers.push(peer);
  return peer;
};

test('a bovine-herd server follows and is followed, reads posts and writes them', async () => {
  await exchange(server.url, ada, start(loopback.environment));
});

test('a bovine-herd server follows nobody of a server whose certificate it does not trust', async () => {
  await distrust(server.url, ada, start({}));
});
