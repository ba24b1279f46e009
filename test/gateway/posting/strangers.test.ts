import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { SLOW_MS, SlowHosts } from '../../../gateway/posting/slow-hosts.js';
import { MEET_MS, type Meeting, meetStrangers } from '../../../gateway/posting/strangers.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { TestServer } from '../../kit/services/server.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

/** Look-ups by host: `never` does not answer, `dead` is refused at once, others find somebody after 100 ms. */
function world() {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const named = (username: string, host: string) => {
    asked.push(`${username}@${host}`);
    if (host === 'never.example') return new Promise<never>(() => {});
    if (host === 'dead.example') return Promise.resolve({ missing: 'later' as const });
    return new Promise<StoreAccountRecord>((resolve) => {
      clock.after(100, () => resolve({} as StoreAccountRecord));
    });
  };
  const services: Meeting = {
    registry: { find: () => undefined } as unknown as Meeting['registry'],
    instance: { domain: 'here.example' } as Meeting['instance'],
    clock,
    federation: { people: { named }, slowHosts: new SlowHosts(clock) },
  };
  /** Returns the time (ms) for which the author waits, up to the longest one. */
  const waited = async (...names: string[]): Promise<number> => {
    const beganMs = clock.nowMs();
    let endMs: number | undefined;
    void meetStrangers(services, names).then(() => {
      endMs = clock.nowMs();
    });
    await clock.settle();
    for (let step = 0; endMs === undefined && step < 60; step++) {
      await clock.advance(50);
      await clock.settle();
    }
    return (endMs ?? Number.POSITIVE_INFINITY) - beganMs;
  };
  return { clock, asked, waited };
}

test('an author waits for the look-up of strangers, for 2 s at most', async () => {
  const { waited } = world();
  assert.equal(await waited('ann@far.example'), 100);
  assert.equal(await waited('ben@never.example', 'ann@far.example'), MEET_MS);
});

test('nobody waits again within a minute for a host that did not answer, whoever is mentioned', async () => {
  const { clock, asked, waited } = world();
  await waited('ben@never.example');
  for (const name of ['ben@never.example', 'cem@Never.Example']) assert.equal(await waited(name), 0, name);
  assert.equal(await waited('ben@never.example', 'ann@far.example'), 100, 'other hosts are waited for');
  assert.ok(asked.includes('cem@never.example'), 'the look-up goes on');
  await clock.advance(SLOW_MS);
  assert.equal(await waited('dee@never.example'), MEET_MS);
});

test('a host that cannot be reached costs no time, and names of this server no look-up', async () => {
  const { asked, waited } = world();
  assert.equal(await waited('ben@dead.example', 'eli', 'fay@here.example'), 0);
  assert.deepEqual(asked, ['ben@dead.example']);
});

test('ten unknown people are looked up for one status, however many it mentions', async () => {
  const { asked, waited } = world();
  const names = Array.from({ length: 30 }, (_, index) => `p${index}@h${index}.example`);
  assert.equal(await waited(...names), 100);
  assert.deepEqual(asked, names.slice(0, 10));
});

test('a post that mentions people of a host that never answers takes 2 s once', async () => {
  const sockets = new Set<Socket>();
  const mute = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  try {
    const { port } = mute.address() as { port: number };
    const ann = await server.person('ann');
    const took = async (name: string) => {
      const began = performance.now();
      await ann.says(`@${name}@127.0.0.1:${port} hello`);
      return performance.now() - began;
    };
    assert.ok((await took('ben')) >= MEET_MS - 50);
    for (const name of ['ben', 'cem']) assert.ok((await took(name)) < MEET_MS / 2, name);
  } finally {
    await server.stop();
    for (const socket of sockets) socket.destroy();
    mute.close();
  }
});
