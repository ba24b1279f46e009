import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { publicLane } from '../../../actors/domain/public.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { countInteractions } from '../../../gateway/admin-measures/interactions.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { accountListings } from '../../../store/moderation-tables.js';
import { put } from '../../../store/port.js';
import { favourites } from '../../../store/tables.js';

const ACCOUNTS = 60;
const MARKS_EACH = 5;

test('a count of interactions reads a bounded number of rows', async () => {
  const tables = new MemoryTables();
  const nowMs = systemClock.nowMs();
  for (let n = 0; n < ACCOUNTS; n++) {
    const account = makeId(nowMs - 60_000, 0, n);
    await tables.write([
      put(accountListings, { era: eraOfId(account), lane: publicLane(account), account }, {} as never),
    ]);
    const ids = Array.from({ length: MARKS_EACH }, (_, mark) => makeId(nowMs - 30_000 + mark, 0, 0));
    await tables.write(
      ids.map((mark) => put(favourites, { account, era: eraOfId(mark), mark }, { statusId: '1' } as never)),
    );
  }
  const services = { tables, clock: systemClock };
  const sum = (byDay: ReadonlyMap<number, number>) => [...byDay.values()].reduce((all, one) => all + one, 0);
  assert.equal(sum(await countInteractions(services)), ACCOUNTS * MARKS_EACH);
  const some = sum(await countInteractions(services, 10));
  assert.ok(some >= 10 && some < (ACCOUNTS * MARKS_EACH) / 2, `${some}`);
});
