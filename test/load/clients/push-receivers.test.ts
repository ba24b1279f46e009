import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Client } from '../../../load/clients/client.js';
import { PushReceivers } from '../../../load/clients/push-receivers.js';
import { admit } from '../../../load/clients/target-guard.js';
import { Crowd } from '../../../load/crowd.js';
import { Observer } from '../../../load/judging/observer.js';
import { Findings } from '../../../load/judging/verdicts.js';
import { Visible } from '../../../load/judging/visible.js';
import { AddressGuard } from '../../../transport/address-guard.js';
import { WebPushSender } from '../../../transport/push/web-push-sender.js';
import { newKeys } from '../../transport/push/keys.js';
import { realClock } from '../../transport/real-clock.js';

const NEVER = new AbortController().signal;

/** A server that answers every request with 200, and remembers it. */
async function recordingServer() {
  const asked: { readonly line: string; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    asked.push({ line: `${request.method} ${request.url}`, body });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  return { asked, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a push that does not come is lost, and one that comes twice is repeated', async () => {
  const { asked, server, url } = await recordingServer();
  const client = new Client([await admit(url, [])], 4, 10_000);
  const users = ['ada', 'ben'].map((username, index) => ({ id: `${index}`, username, token: username }));
  const [witness, findings] = [new Observer(), new Findings()];
  const visible = new Visible(60_000, findings);
  const receivers = new PushReceivers(client, { crowd: new Crowd(users, 2, 1), witness, visible, findings });
  const keys = newKeys();
  const sender = new WebPushSender({
    ...{ guard: new AddressGuard(['loopback']), userAgent: 'test', clock: realClock },
    ...{ log: { warn: assert.fail, error: assert.fail } },
    keys: async () => keys,
    subject: async () => 'https://example.org',
  });
  try {
    await receivers.subscribe(1, NEVER);
    assert.deepEqual(
      asked.map(({ line }) => line),
      ['POST /api/v1/push/subscription', 'POST /api/v1/accounts/1/follow'],
    );
    const { subscription } = JSON.parse(asked[0]?.body ?? '');
    const [right, lost, twice] = [1, 2, 3].map((number) => {
      const post = witness.begin(1, performance.now());
      if (post === undefined) throw new Error('too many posts');
      return Object.assign(post, { acknowledgedMs: performance.now(), id: `${number}` });
    });
    const push = async (payload: string) =>
      sender.send({
        ...{ endpoint: subscription.endpoint, ...subscription.keys, encoding: 'aes128gcm' },
        ...{ payload, ttlSeconds: 60, urgency: 'normal', topic: 'one' },
      });
    const of = (post: typeof right) =>
      JSON.stringify({ title: 'ben', body: `number ${post?.marker}.`, notification_id: 1 });
    for (const payload of [of(right), of(twice), of(twice), JSON.stringify({ title: 'another', body: 'alert' })])
      assert.deepEqual(await push(payload), { kind: 'sent' });
    assert.equal(receivers.complete, false);
    receivers.judge();
    assert.deepEqual([findings.counts.lost, findings.counts.repeated], [1, 1]);
    assert.deepEqual(
      findings.examples.map(({ verdict, post, place }) => [verdict, post, place]),
      [
        ['repeated', twice?.marker, 'pushes of ada'],
        ['lost', lost?.marker, 'pushes of ada'],
      ],
    );
    assert.equal(visible.push.count, 2);
    assert.deepEqual(await push('no JSON'), { kind: 'refused', status: 400 });
    assert.deepEqual(await push(of(lost)), { kind: 'sent' });
    assert.equal(receivers.complete, true);
    await receivers.close();
    assert.equal(asked.at(-1)?.line, 'DELETE /api/v1/push/subscription');
  } finally {
    await sender.close();
    await client.close();
    server.closeAllConnections();
    server.close();
  }
});
