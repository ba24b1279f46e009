import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeliveryFigures } from '../../../actors/federation/delivery/figures.js';
import { Failures } from '../../../actors/federation/remote/failures.js';
import { SlowHosts } from '../../../gateway/posting/slow-hosts.js';
import { Caches } from '../../../store/cache/cache.js';
import { HostGate } from '../../../transport/federation/host-gate.js';
import { CachedSchemes } from '../../../transport/federation/scheme-memory.js';
import { NameCache } from '../../../transport/web/name-cache.js';

/** Hosts that one peer makes up, or whose inboxes are dead. */
const HOSTS = 100_000;
/** Most entries of one memory of hosts. */
const KNOWN_MAX = 20_000;

test('100,000 made-up hosts and dead inboxes are remembered within bounds, and their figures stay right', async () => {
  const caches = new Caches();
  const clock = { monotonicMs: () => 0, after: () => ({ cancel: () => undefined }) };
  const figures = new DeliveryFigures();
  const failures = new Failures('failures', clock, caches);
  const [schemes, slow] = [new CachedSchemes(caches), new SlowHosts(clock, caches)];
  const names = new NameCache(clock, caches, (_name, _options, found) => found(new Error('no such name'), []));
  const gate = new HostGate({ hostMax: 4, max: 128, hostWaitingMax: 16, waitingMax: 1_000 });
  let failed = 0;
  for (let number = 0; number < HOSTS; number++) {
    const host = `h${number}.example`;
    names.resolve(host, { all: true }, (error) => {
      if (error !== null) failed += 1;
    });
    failures.add(`https://${host}/users/x`, { missing: 'later' });
    schemes.remember(host, 'rfc9421');
    slow.add(host);
    figures.waits(host, 1, 1_000, 2_000, true);
    (await gate.enter(host, new AbortController().signal))?.();
  }
  assert.equal(failed, HOSTS);
  for (const { name, entries, entriesMax } of caches.figures())
    assert.ok(entries <= entriesMax && entriesMax <= KNOWN_MAX, `${name}: ${entries} of ${entriesMax}`);
  const waiting = figures.waiting(2_000);
  assert.deepEqual(waiting, { count: KNOWN_MAX, hosts: KNOWN_MAX, pausedHosts: KNOWN_MAX, oldestMs: 1_000 });
  // A host that is not among those remembered is served like any other.
  figures.waits('h0.example', 0, 0, 0);
  assert.equal(figures.waiting(2_000).count, KNOWN_MAX - 1);
});
