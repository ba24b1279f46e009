import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../kit/network/event-stream.js';
import { targetAt } from '../../kit/network/sockets.js';
import type { ClusterNodes } from '../../kit/services/cluster-nodes.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from './people.js';

const TOLD_MS_MAX = 30_000;

/** Registers the tests: on several nodes. */
export function resumedStreamsTests(open: () => Promise<ClusterNodes>): void {
  let cluster: ClusterNodes;
  before(async () => {
    cluster = await open();
  });
  after(() => cluster?.dispose());

  test('a stream resumed at another node begins with the edits and deletions that its client missed', async () => {
    const { url } = cluster.balancer;
    const [ula, tom] = (await makePeople(cluster.node(1).dataDir, ['ula', 'tom'])) as [Person, Person];
    await call(url, ula, 'POST', `/api/v1/accounts/${tom.id}/follow`);
    const say = async (status: string) =>
      ((await call(url, tom, 'POST', '/api/v1/statuses', { status })) as { id: string }).id;
    const [removed, edited] = [await say('removed'), await say('first')];
    const stream = await EventStream.open(targetAt(cluster.node(0).url), 'user', ula.token);
    const seen = await say('seen');
    await until('the status', () => stream.updates().includes(seen), TOLD_MS_MAX);
    await stream.close();
    await call(url, tom, 'DELETE', `/api/v1/statuses/${removed}`);
    await call(url, tom, 'PUT', `/api/v1/statuses/${edited}`, { status: 'second' });
    for (const base of cluster.urls) {
      const resumed = await EventStream.open(targetAt(base), 'user', ula.token, stream.position);
      const edits = () => resumed.dataOf('status.update');
      await until('both', () => edits().length > 0 && resumed.dataOf('delete').length > 0, TOLD_MS_MAX);
      // A node that receives the change late sends it twice.
      assert.deepEqual([...new Set(resumed.dataOf('delete'))], [removed]);
      assert.match(edits().join(), /second/);
      await resumed.close();
    }
  });

  test('every node tells a client with an outdated position to reload', async () => {
    const [vic] = (await makePeople(cluster.node(1).dataDir, ['vic'])) as [Person];
    for (const base of cluster.urls) {
      const stream = await EventStream.open(targetAt(base), 'user', vic.token, '1');
      await until('the reset', () => stream.events.length > 0, TOLD_MS_MAX);
      assert.deepEqual(stream.dataOf('reset'), ['{}']);
      await stream.close();
    }
  });
}
