import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ClusterNodes } from '../../kit/services/cluster-nodes.js';
import { newUsers } from '../../load/new-users.js';
import { load } from '../../load/running.js';

/** Generous limits for a busy machine: this test is not about speed. */
const PATIENT = ['--late', '20s', '--settle', '20s', '--timeout', '20s', '--max-errors', '0', '--max-late', '0'];

/** Registers the test: it loads three nodes. */
export function everyPlaceTest(open: () => Promise<ClusterNodes>): void {
  let cluster: ClusterNodes;
  let users: string;
  let urls: string[];

  before(async () => {
    cluster = await open();
    users = await newUsers(cluster.node(0), 'tern', 9);
    urls = cluster.nodes.map(({ url }) => url);
  });
  after(() => cluster?.dispose());

  test('on three nodes every post is in every place, once, in order and in time, through any node', async () => {
    for (const pace of [
      ['--in-flight', '6', '--count', '400'],
      ['--rate', '60/s', '--arrivals', 'poisson', '--for', '4s', '--streams', '9'],
      ['--rate', '60/s', '--mix', 'post:4,home:4,follow:1', '--for', '4s', '--streams', '9', '--cut', '500ms'],
      ['--in-flight', '3', '--count', '200', '--streams', '0'],
    ]) {
      const { code, result, stdout, stderr } = await load(users, ...urls, ...pace, ...PATIENT);
      assert.equal(code, 0, stdout + stderr);
      assert.deepEqual(result?.targets, urls);
      assert.deepEqual(result?.verdicts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
      const { good = 0, shed = 0, sent } = result?.total ?? {};
      // A node on a busy machine refuses what it cannot do in time, and nothing refused is lost.
      assert.equal(good + shed, sent);
      assert.ok((result?.visibleMs.home.count ?? 0) > 0);
    }
  });
}
