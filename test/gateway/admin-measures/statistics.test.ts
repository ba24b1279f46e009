import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import { activeAccounts, activeIn, DAY_MS, statisticsOf } from '../../../gateway/admin-measures/statistics.js';
import type { Services } from '../../../gateway/http/services.js';
import type { InstanceDayTotals } from '../../../proto/gen/types.js';
import { put, type Tables } from '../../../store/port.js';
import { accountStatuses, accounts, accountTallies, dayTotals } from '../../../store/tables.js';
import { blankPost, town } from '../../actors/reactions/town.js';

const decided = (action: string) => ({ action, by: '', text: '', mail: false });
/** Minutes would make most of the events of half a year. */
const RESCAN_MS = 3 * 3_600_000;
const DIRECT = { ...blankPost, visibility: 'direct' };

/** Accounts of one server, and nodes that count them; each node has the memory of its own process. */
async function counted(names: readonly string[]) {
  const here = await town(names, { limits: { rescanMs: RESCAN_MS } });
  const { stage, tables } = here;
  const { clock } = stage;
  let keptDay = -1;
  const stored: number[] = [];
  const node = (reads: Partial<Tables> = {}) => {
    const askInstance = async (_id: string, _command: string, totals: InstanceDayTotals) => {
      if (totals.day > keptDay) {
        keptDay = totals.day;
        stored.push(totals.day);
        await tables.write([put(dayTotals, { century: 0, day: totals.day }, totals)]);
      }
      return {};
    };
    const range: Tables['range'] = (...asked) => tables.range(...asked);
    const services = { clock, registry: {}, tables: { range, ...reads }, askInstance } as unknown as Services;
    return services;
  };
  const says = async (name: string, what: object = blankPost) => {
    const posted = await here.account(here.id(name), 'post', { ...blankPost, ...what });
    assert.ok(!isProblem(posted));
    return posted;
  };
  const today = () => Math.floor(clock.nowMs() / DAY_MS);
  const totals = async (services: Services) => {
    const { users, statuses, activeMonth, activeHalfYear } = await statisticsOf(services);
    return { users, statuses, activeMonth, activeHalfYear };
  };
  return { ...here, node1: here.node, node, says, today, totals, stored, clock };
}

test('users, statuses and active accounts are counted as they appear, change and disappear', async () => {
  const here = await counted(['ada', 'ben', 'cleo']);
  const first = here.today();
  await here.says('ada');
  const gone = await here.says('ada');
  await here.says('ben');
  await here.says('cleo', DIRECT);
  await here.conversation(gone.conversationId, 'remove', { statusId: gone.id, by: here.id('ada') });
  assert.deepEqual(await here.totals(here.node()), { users: 3, statuses: 2, activeMonth: 3, activeHalfYear: 3 });
  const { days } = await statisticsOf(here.node());
  const day = days.get(first);
  assert.deepEqual([day?.registrations, day?.statuses, day?.active.size], [3, 3, 3]);
  await here.clock.advance(DAY_MS);
  await here.account(here.id('ben'), 'moderate', decided('suspend'));
  await here.says('ada');
  assert.deepEqual(await here.totals(here.node()), { users: 2, statuses: 2, activeMonth: 3, activeHalfYear: 3 });
  await here.account(here.id('ben'), 'moderate', decided('unsuspend'));
  assert.deepEqual(await here.totals(here.node()), { users: 3, statuses: 3, activeMonth: 3, activeHalfYear: 3 });
  here.stage.close();
});

test('each node reads past days once, and an account does not stay active for ever', async () => {
  const here = await counted(['ada', 'ben']);
  const services = here.node();
  await here.says('ada');
  await here.says('ben');
  for (let day = 0; day < 40; day++) {
    await here.clock.advance(DAY_MS);
    await here.says('ada');
    await statisticsOf(services);
    // The first node replaces a stale count in the background, after its answer.
    await here.clock.settle();
  }
  const read = new Set<string>();
  const days = new Set<number>();
  const range: Tables['range'] = (table, partition, options) => {
    read.add(table.name);
    if (table.name === accountTallies.name) days.add((partition as unknown as { day: number }).day);
    return here.tables.range(table, partition, options);
  };
  const fresh = here.node({ range });
  assert.deepEqual(await here.totals(fresh), { users: 2, statuses: 42, activeMonth: 1, activeHalfYear: 2 });
  assert.ok(!read.has(accounts.name) && !read.has(accountStatuses.name), 'nobody is looked at');
  assert.deepEqual([...days], [here.today() - 1, here.today()]);
  assert.equal(here.stored.length, 39);
  const { days: shown } = await statisticsOf(fresh);
  assert.equal(activeIn(shown, here.today() - 6, here.today()), 1);
  assert.equal(activeIn(shown, here.today() - 40, here.today()), 2);
  assert.deepEqual(await activeAccounts(fresh, here.today() - 3, here.today()), [here.id('ada')]);
  assert.deepEqual(await here.totals(services), await here.totals(fresh), 'as the node that stored the days');
  here.stage.close();
});

test('a server without requests for half a year misses nothing', async () => {
  const here = await counted(['ada']);
  await here.says('ada');
  await here.clock.advance(200 * DAY_MS);
  assert.deepEqual(await here.totals(here.node()), { users: 1, statuses: 1, activeMonth: 0, activeHalfYear: 0 });
  await here.says('ada');
  await here.clock.advance(10 * DAY_MS);
  assert.deepEqual(await here.totals(here.node()), { users: 1, statuses: 2, activeMonth: 1, activeHalfYear: 1 });
  here.stage.close();
});

test('effects that a crash repeats count once, and effects that it delays past midnight are not lost', async () => {
  const here = await counted(['ada']);
  const first = here.today();
  here.node1.store.breakWrites(accountTallies);
  void here.askAccount(here.id('ada'), 'post', blankPost);
  await here.clock.advance(DAY_MS);
  void here.askAccount(here.id('ada'), 'post', blankPost);
  await here.clock.advance(60_000);
  here.stage.kill(here.node1);
  const next = await here.stage.node(2, {}, here.kinds);
  await here.clock.advance(60_000);
  const again = next.runtime.ask('account', here.id('ada'), 'post', blankPost);
  await here.clock.advance(1_000);
  assert.ok(!isProblem((await again) as object));
  const { users, statuses, days } = await statisticsOf(here.node());
  assert.deepEqual([users, statuses], [1, 3]);
  assert.deepEqual([days.get(first)?.statuses, days.get(first + 1)?.statuses], [1, 2]);
  here.stage.close();
});
