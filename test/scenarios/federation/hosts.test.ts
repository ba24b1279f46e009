import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readBlocks, writeBlocks } from '../../../actors/domain/servers/block-list.js';
import { emptyTally } from '../../../actors/remote-host/remote-host.js';
import { operatorClient } from '../../../cli/operator-socket.js';
import { freePort } from '../../../cluster/local/process.js';
import type { HostTally } from '../../../proto/gen/types.js';
import { newKey, type Peer, type PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { until } from '../../kit/time/until.js';
import { makePeople } from '../cluster/people.js';

const SEEN_MS_MAX = 30_000;
/** Hosts and people of each: as many as fill the places for deliveries at once to one host. */
const [SLOW_HOSTS, PEOPLE] = [8, 4];
/** Time within which a host that answers gets its activity. */
const ANSWERED_MS_MAX = 5_000;
/** A delivery ends after 10 s; the rest is the time for the others in turn. */
const GIVEN_UP_MS_MAX = 30_000;

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let ann: PeerActor;
let metrics: string;
const slowPeers: Peer[] = [];
before(async () => {
  loopback = await TrustedLoopback.open();
  peer = await loopback.peer();
  ann = peer.actor('ann');
  metrics = `127.0.0.1:${await freePort('127.0.0.1')}`;
  server = await loopback.server({ METRICS_LISTEN: metrics });
  await makePeople(server.dataDir, ['ada']);
});
after(async () => {
  await server?.dispose();
  for (const one of [peer, ...slowPeers]) await one?.close();
  await loopback?.close();
});

const operate: ReturnType<typeof operatorClient> = (name, input) => operatorClient(server.dataDir)(name, input);
const show = () => operate('federation.show', { host: peer.host });
const steer = (act: string) => operate('federation.steer', { host: peer.host, act });
const listed = async () => (await operate('federation.hosts', { limit: 10 })).hosts;
const seen = (what: string, condition: () => Promise<unknown>) => until(what, condition, SEEN_MS_MAX);
/** Activities that have arrived. A crash may repeat one, with the same id. */
const accepts = () => new Set(peer.delivered('Accept').map(({ activity }) => activity.id)).size;

/** A person follows ada, which makes one delivery: an Accept. */
async function follow(who = ann): Promise<void> {
  const activity = who.activity('Follow', `${server.url}/users/ada`);
  assert.equal(await who.post(`${server.url}/inbox`, activity), 202);
}

test('an operator sees a host that fails, retries it, pauses it and drops what waits', async () => {
  assert.deepEqual(await listed(), []);
  peer.answer('/users/ann/inbox', { status: 500 });
  await follow();
  await seen('a waiting delivery', async () => (await show()).waiting === 1 && (await listed()).length === 1);
  const [host] = await listed();
  assert.deepEqual([host?.host, host?.state, host?.attempts], [peer.host, 'closed', { ...emptyTally, failed: 1 }]);
  peer.answer('/users/ann/inbox', { status: 202 });
  await steer('retry');
  await seen('no waiting delivery', async () => (await show()).waiting === 0 && (await listed()).length === 0);
  assert.deepEqual([accepts(), peer.delivered('Accept').length], [1, 2]);

  await steer('pause');
  await follow();
  await seen('a delivery that waits', async () => (await show()).waiting === 1);
  assert.deepEqual([(await show()).state, accepts()], ['paused', 1]);
  await assert.rejects(steer('retry'), /The host is paused/);
  await server.kill();
  await server.restart();
  assert.deepEqual([(await show()).state, accepts()], ['paused', 1]);
  await steer('resume');
  await seen('the delivery', async () => accepts() === 2 && (await show()).waiting === 0);

  await steer('pause');
  await follow();
  await seen('a delivery that waits', async () => (await show()).waiting === 1);
  await steer('drop');
  await seen('no delivery', async () => (await show()).waiting === 0);
  await steer('resume');
  await seen('a closed host', async () => (await listed()).length === 0);
  assert.equal(accepts(), 2);
});

test('status and metrics have the figures of federation, without names of hosts', async () => {
  const { federation } = (await operate('status', {})) as { federation: Record<string, unknown> };
  assert.deepEqual([federation.waiting, federation.waitingInbox, Number(federation.delivered) > 0], [0, 0, true]);
  const text = await (await fetch(`http://${metrics}/`)).text();
  assert.match(text, /murmuration_inbox_waiting 0/);
  assert.match(text, /murmuration_delivery_dropped\{reason="operator"\} 1/);
  assert.match(text, /murmuration_federation_stamps\{type="FeatureAuthorization",outcome="rejected"\} 0/);
  assert.ok(!text.includes(peer.host));
});

test('inboxes that send a byte a second hold no delivery to another host, and each attempt ends', async () => {
  const slow = await Promise.all(Array.from({ length: SLOW_HOSTS }, () => loopback.peer()));
  slowPeers.push(...slow);
  const key = newKey();
  const people = slow.flatMap((one) =>
    Array.from({ length: PEOPLE }, (_, index) => {
      const person = one.actor(`p${index}`, {}, key);
      one.answer(`/users/p${index}/inbox`, 'drip');
      return person;
    }),
  );
  await Promise.all(people.map((who) => follow(who)));
  for (const one of slow) await one.gets('Accept');
  const before = accepts();
  await follow(peer.actor('bea', {}, key));
  await until('an Accept', async () => accepts() > before, ANSWERED_MS_MAX);
  for (const { host } of slow)
    await until(
      `an attempt that ends at ${host}`,
      async () => ((await operate('federation.show', { host })).attempts as HostTally).timeout > 0,
      GIVEN_UP_MS_MAX,
    );
  await follow(peer.actor('cat', {}, key));
  await until('an Accept', async () => accepts() > before + 1, ANSWERED_MS_MAX);
});

test('a name that is none, and an unknown order, are refused', async () => {
  await assert.rejects(operate('federation.show', { host: 'not a host' }), /a host is a name/);
  await assert.rejects(steer('burn'), /retry, drop, pause, resume/);
  await assert.rejects(operate('federation.hosts', { limit: 0 }), /the limit is/);
});

test('limits of domains are read from CSV and written to it, but none of our own domain or an allowed one', async () => {
  const text = [
    '#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate',
    'Bad.example,suspend,false,false,"spam, and ""more""",true',
    'loud.example,silence,true,true,,false',
    'bad.example,noop,false,false,,false',
    `${new URL(server.url).host},suspend,false,false,,false`,
    'odd.example,burn,false,false,,false',
    'not a domain,suspend',
    '',
    'short.example',
  ].join('\r\n');
  const { added, skipped } = await operate('federation.block', { blocks: readBlocks(text) });
  assert.deepEqual([added, skipped.length], [3, 4]);
  const { blocks } = await operate('federation.blocks', {});
  assert.deepEqual(blocks.map(({ domain, severity }) => `${domain} ${severity}`).sort(), [
    'bad.example suspend',
    'loud.example silence',
    'short.example suspend',
  ]);
  assert.deepEqual(readBlocks(writeBlocks(blocks)), blocks);
});
