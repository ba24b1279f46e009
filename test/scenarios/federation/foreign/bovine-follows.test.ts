import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ForeignServer } from '../../../kit/federation/foreign-server.js';
import { ServerProcess } from '../../../kit/services/server-process.js';
import { makePeople, type Person } from '../../cluster/people.js';
import { exchange } from './exchange.js';

const { TEST_BOVINE = '' } = process.env;
assert.ok(TEST_BOVINE, 'scripts/test.mjs names the Python that has bovine-herd');
const script = join(import.meta.dirname, '../../../../../test/peers/bovine-server.py');

let server: ServerProcess;
let ada: Person;
let peer: ForeignServer;
before(async () => {
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  peer = ForeignServer.start(TEST_BOVINE, [script]);
});
after(async () => {
  await peer?.stop();
  await server?.dispose();
});

test('a bovine-herd server follows and is followed, reads posts and writes them', async () => {
  await exchange(server.url, ada, peer);
});
