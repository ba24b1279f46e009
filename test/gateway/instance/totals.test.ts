import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import { aboutOf } from '../../../gateway/instance/about.js';
import { statistics } from '../../../gateway/metrics/measures.js';
import type { Services } from '../../../gateway/services.js';
import { accountListings, instanceTotals } from '../../../store/tables.js';
import { TestServer } from '../../kit/server.js';
import { until } from '../../kit/until.js';
import { VirtualClock } from '../../kit/virtual-clock.js';

const WAIT_MS = 10_000;
let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

/** A node that has just started on the same store, and whose first count takes as long as it is held. */
function starting() {
  const { services } = server.node;
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { tables } = services;
  const range = async (...asked: Parameters<typeof tables.range>) => {
    if ((asked[0] as object) === accountListings) await held;
    return tables.range(...asked);
  };
  const clock = new VirtualClock(undefined, Date.now());
  const started: Services = {
    ...services,
    clock,
    registry: Object.create(services.registry),
    tables: { range, get: tables.get.bind(tables), getMany: tables.getMany.bind(tables) } as typeof tables,
  };
  /** What comes of it, however much time must pass. */
  const later = async <T>(asked: Promise<T>): Promise<{ readonly said?: T; readonly error?: unknown; ms: number }> => {
    let end: { said?: T; error?: unknown } | undefined;
    asked.then(
      (said) => {
        end = { said };
      },
      (error: unknown) => {
        end = { error };
      },
    );
    const from = clock.monotonicMs();
    await until('an answer', async () => (end === undefined ? clock.advance(100).then(() => false) : true), WAIT_MS);
    return { ...end, ms: clock.monotonicMs() - from };
  };
  return { services: started, later, go };
}

test('as long as nobody has counted, nobody is told that there is nobody: a request has its time, then comes again', async () => {
  const { services, later, go } = starting();
  const { error, ms } = await later(aboutOf(services));
  assert.equal((error as Error | undefined)?.name, 'Unavailable');
  assert.ok(ms >= WAIT_MS, `${ms} ms`);
  const { said } = await later(statistics(services));
  assert.ok(isProblem(said) && said.problem === 'unavailable');
  go();
  assert.equal((await later(aboutOf(services))).said?.totals.users, 0);
});

test('a node that has started and counts for long tells what was counted last', async () => {
  await (await server.person('ada')).says('one');
  await server.person('ben');
  const { stats } = (await server.get('/api/v1/instance')).body;
  assert.deepEqual([stats.user_count, stats.status_count], [2, 1]);
  const { tables } = server.node.services;
  const kept = async () => (await tables.get(instanceTotals, { century: 0 }))?.users === 2;
  await until('it is kept', kept, WAIT_MS);
  const { services, later, go } = starting();
  const { said } = await later(aboutOf(services));
  const { users, statuses, activeMonth, activeHalfYear } = said?.totals ?? {};
  assert.deepEqual(
    { users, statuses, activeMonth, activeHalfYear },
    { ...{ users: 2, statuses: 1 }, ...{ activeMonth: 1, activeHalfYear: 1 } },
  );
  await server.person('cleo');
  go();
  await until('its own count', async () => (await later(aboutOf(services))).said?.totals.users === 3, WAIT_MS);
});
