import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Document, Peer } from '../../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../../kit/federation/trusted-loopback.js';
import { until } from '../../../kit/time/until.js';
import { call, makePeople, type Person } from '../../cluster/people.js';

const { TEST_SAMPLES } = process.env;
assert.ok(TEST_SAMPLES, 'TEST_SAMPLES names the Python with the samples; scripts/test.mjs sets it');
const SAMPLES = 262;
/** Samples that a person must be able to read. The others have no content, or belong to somebody else. */
const SHOWN_MIN = 249;
const PRINT_MS_MAX = 60_000;
const SHOWN_MS_MAX = 60_000;
const PAGE = 40;

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
before(async () => {
  loopback = await TrustedLoopback.open();
  server = await loopback.server();
  peer = await loopback.peer();
});
after(async () => {
  await server?.dispose();
  await peer?.close();
  await loopback?.close();
});

test('activities of every shape that servers send are taken without an error, and shown', async (t) => {
  const [ann] = (await makePeople(server.dataDir, ['ann'])) as [Person];
  const actor = peer.actor('pasture');
  const script = join(import.meta.dirname, '../../../../../test/scenarios/federation/foreign/samples.py');
  const print = promisify(execFile)(TEST_SAMPLES, [script, actor.uri, peer.url, `${server.url}/users/ann`], {
    timeout: PRINT_MS_MAX,
    maxBuffer: 1 << 26,
  });
  const samples = JSON.parse((await print).stdout) as [string, Document][];
  assert.equal(samples.length, SAMPLES);

  const failed: string[] = [];
  for (const [name, activity] of samples) {
    const status = await actor.post(`${server.url}/inbox`, activity);
    if (status >= 500) failed.push(`${name}: ${status}`);
  }
  assert.deepEqual(failed, []);

  const byUri = new Map(samples.map(([name, { object }]) => [object.id as string, name]));
  let shown: string[] = [];
  const missing = () => [...byUri].filter(([uri]) => !shown.includes(uri)).map(([, name]) => name);
  await until(
    'the samples in the profile',
    async () => {
      shown = await statusesOf(ann, `pasture@${peer.host}`);
      return SAMPLES - missing().length >= SHOWN_MIN;
    },
    SHOWN_MS_MAX,
  ).catch((error: Error) => assert.fail(`${error.message}; missing are ${missing().join(', ')}`));
  assert.equal(new Set(shown).size, shown.length, 'each is shown once');
  t.diagnostic(`${SAMPLES - missing().length} of ${SAMPLES} are shown; not ${missing().join(', ')}`);
});

/** Returns the addresses of all statuses that the reader sees in the profile of an account. */
async function statusesOf(reader: Person, acct: string): Promise<string[]> {
  const account = (await call(server.url, reader, 'GET', `/api/v1/accounts/lookup?acct=${acct}`)) as { id: string };
  const uris: string[] = [];
  for (let before = ''; ; ) {
    const path = `/api/v1/accounts/${account.id}/statuses?limit=${PAGE}${before}`;
    const page = (await call(server.url, reader, 'GET', path)) as { id: string; uri: string }[];
    uris.push(...page.map(({ uri }) => uri));
    const last = page.at(-1);
    if (last === undefined) return uris;
    before = `&max_id=${last.id}`;
  }
}
