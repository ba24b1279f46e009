import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Client } from '../../load/clients/client.js';
import { admit } from '../../load/clients/target-guard.js';
import { Crowd } from '../../load/crowd.js';
import { Observer } from '../../load/judging/observer.js';
import { Findings } from '../../load/judging/verdicts.js';
import { Visible } from '../../load/judging/visible.js';
import { RemotePeers } from '../../load/peers/remote-peers.js';

const NEVER = new AbortController().signal;

/** A server that answers as ours does, accepts every Follow, and delivers only what a test delivers. */
async function acceptingServer() {
  const inboxes: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const json = (value: unknown) =>
      void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (request.url !== '/inbox') {
      if (request.url?.startsWith('/api/v2/search')) return json({ accounts: [{ id: '9' }] });
      if (request.url?.startsWith('/api/v1/accounts/relationships')) return json([{ following: true }]);
      return json({ uri: `${url}/users/ada` });
    }
    response.writeHead(202).end();
    const activity = JSON.parse(body);
    if (activity.type !== 'Follow') return;
    const inbox = `${new URL(activity.actor).origin}/inbox`;
    inboxes.push(inbox);
    await deliver(inbox, { type: 'Accept', id: 'accept', object: activity.id });
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, url, inboxes };
}

async function deliver(inbox: string, activity: object, headers: Record<string, string> = { signature: 'x' }) {
  const response = await fetch(inbox, { method: 'POST', headers, body: JSON.stringify(activity) });
  await response.arrayBuffer();
  return response.status;
}

test('a delivery that does not come is lost, one that comes under two ids is repeated, one that is sent again is not', async () => {
  const { server, url, inboxes } = await acceptingServer();
  const client = new Client([await admit(url, [])], 4, 10_000);
  const users = ['ada', 'ben'].map((username, index) => ({ id: `${index}`, username, token: username }));
  const [witness, findings] = [new Observer(), new Findings()];
  const visible = new Visible(60_000, findings);
  const observing = { crowd: new Crowd(users, 1, 1), witness, visible, findings, posted: () => undefined };
  const peers = new RemotePeers(client, client, observing);
  try {
    await peers.introduce({ fast: 1, dead: 1 }, NEVER);
    const [lost, twice, again] = [1, 2, 3].map((number) => {
      const post = witness.begin(0, performance.now());
      if (post === undefined) throw new Error('too many posts');
      return Object.assign(post, { acknowledgedMs: performance.now(), id: `${number}` });
    });
    const create = (id: string, post: typeof lost) => ({ type: 'Create', id, object: { content: post?.marker } });
    const inbox = await Promise.any(inboxes.map(async (one) => (await deliver(one, { type: 'Undo' })) === 202 && one));
    assert.ok(inbox);
    for (const [id, post] of [
      ['a', twice] as const,
      ['b', twice] as const,
      ['c', again] as const,
      ['c', again] as const,
    ])
      assert.equal(await deliver(inbox, create(id, post)), 202);
    // A server that sends an edit before its post, and one after the deletion.
    const about = (id: string, type: string, object: string, minute = 0) =>
      deliver(inbox, { id, type, object: { id: object, updated: `2026-01-01T12:0${minute}:00Z` } });
    await about('e', 'Update', 'early', 1);
    await about('f', 'Create', 'early');
    await about('g', 'Delete', 'dead');
    await about('h', 'Update', 'dead', 1);
    assert.equal(await deliver(inbox, create('d', lost), {}), 401);
    assert.equal(peers.complete, false);
    peers.judge();
    assert.deepEqual(
      findings.examples.map(({ verdict, post, place }) => [verdict, post, place]),
      [
        ['repeated', twice?.marker, 'peer 0 (fast)'],
        ['outOfOrder', 'early', 'peer 0 (fast)'],
        ['outOfOrder', 'dead', 'peer 0 (fast)'],
        ['lost', lost?.marker, 'peer 0 (fast)'],
      ],
    );
    assert.equal(visible.peer.count, 2);
    assert.equal((await peers.post()).status, 202);
    assert.equal((await peers.deletion()).status, 202);
  } finally {
    await peers.close();
    await client.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});
