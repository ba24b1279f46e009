import assert from 'node:assert/strict';
import { PushKeys } from '../../test/kit/network/push-encryption.js';
import { drive } from '../http-load.js';
import { OtherWork } from '../process-figures.js';
import { percentile, type Row } from '../row.js';
import { SilentServer } from '../silent-server.js';
import { at, Town, write } from '../town.js';

const AUTHORS = 40;
const SUBSCRIBERS = 200;
/** Mentions of a post, each of which waits as a push of its own. */
const MENTIONS = 20;
const WAITING = 10_000;
const POSTS = 1_500;
const ROUNDS = 9;
const IN_FLIGHT = 16;
const RATIO_MAX = 1.2;

/**
 * Measures posts on a node where 10,000 pushes wait for a service that accepts connections and never answers, in turn
 * with posts on a node without subscriptions and otherwise the same statuses.
 */
export async function benchDeadPushService(): Promise<Row[]> {
  const service = await SilentServer.open();
  const settings = { FEDERATION_ALLOW_CIDRS: 'loopback' };
  const [alone, dead] = [
    await Town.open(AUTHORS, SUBSCRIBERS, { settings }),
    await Town.open(AUTHORS, SUBSCRIBERS, { settings }),
  ];
  try {
    await dead.each('subscribe', SUBSCRIBERS, (index) => {
      const subscription = {
        endpoint: `http://127.0.0.1:${service.port}/${index}`,
        keys: new PushKeys().public,
        standard: true,
      };
      const body = { subscription, data: { alerts: { mention: true }, policy: 'all' } };
      return write(at(dead.followers, index), '/api/v1/push/subscription', body, ({ alerts }) => alerts.mention);
    });
    for (const town of [alone, dead]) await mentionAll(town);
    const times: Readonly<Record<'alone' | 'dead', number[]>> = { alone: [], dead: [] };
    const others = new OtherWork([...alone.target.pids, ...dead.target.pids]);
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, town] of [
        ['alone', alone],
        ['dead', dead],
      ] as const) {
        const post = (index: number) => town.post(at(town.authors, index), `number ${index}`);
        const taken = await drive(
          town.target,
          { name, inFlight: IN_FLIGHT, call: post },
          round * POSTS,
          (round + 1) * POSTS,
        );
        if (round > 0) times[name].push(...taken);
      }
    }
    assert.ok(service.connections > 0, 'no push was tried');
    const [without, with_] = [times.alone, times.dead].map((all) =>
      percentile(
        all.sort((a, b) => a - b),
        0.99,
      ),
    );
    const ratio = (with_ ?? 0) / (without ?? 1);
    return [
      {
        name: `post while ${WAITING} pushes wait for a dead service, ${IN_FLIGHT} in flight`,
        ...{ p50Ms: percentile(times.dead, 0.5), p99Ms: with_ ?? 0 },
        otherCores: others.cores(),
      },
      {
        name: `the same without subscriptions, ${ROUNDS} rounds in turn`,
        ...{ p50Ms: percentile(times.alone, 0.5), p99Ms: without ?? 0 },
        figure: `p99 ${ratio.toFixed(2)} times`,
        target: `≤ ${RATIO_MAX}`,
        reached: ratio <= RATIO_MAX,
      },
    ];
  } finally {
    await Promise.all([alone.dispose(), dead.dispose()]);
    await service.close();
  }
}

/** Mentions each subscriber as often as pushes are to wait. */
async function mentionAll(town: Town): Promise<void> {
  await town.each('mention', WAITING / MENTIONS, (index) => {
    const names = Array.from(
      { length: MENTIONS },
      (_, place) => `@${at(town.followers, index * MENTIONS + place).username}`,
    );
    return write(
      at(town.authors, index),
      '/api/v1/statuses',
      { status: `${names.join(' ')} ${index}` },
      ({ mentions }) => mentions.length === MENTIONS,
    );
  });
}
