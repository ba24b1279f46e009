import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARKS_TURN } from '../../../actors/conversation/marks.js';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { PUBLIC_LANES } from '../../../actors/domain/public.js';
import {
  accountStatuses,
  accounts,
  bookmarks,
  favouritedBy,
  favourites,
  marks,
  rebloggedBy,
  statuses,
  statusMarks,
} from '../../../store/tables.js';
import { blankPost, town } from './town.js';

const REBLOGGERS = Array.from({ length: 20 }, (_, n) => `reblogger${n}`);
/** Accounts that need not exist; the factors of their ids below are coprime. */
const COUNT = Math.min(3 * MARKS_TURN, 700);

async function marked() {
  const place = await town(['ann', ...REBLOGGERS]);
  const ann = place.id('ann');
  const root = await place.account(ann, 'post', blankPost);
  assert.ok('id' in root);
  const others = Array.from({ length: COUNT }, (_, n) => makeId(place.stage.clock.nowMs(), 64 + (n % 100), n % 7));
  const each = async (command: 'favourite' | 'reblog' | 'bookmark' | 'unfavourite', by: readonly string[]) => {
    for (const account of by)
      await place.conversation(root.conversationId, command, { statusId: root.id, by: account });
  };
  const record = async () => await place.tables.get(statuses, { status: root.id });
  return { ...place, ann, root, others, rebloggers: REBLOGGERS.map(place.id), each, record };
}

test('a status with more marks than its actor holds counts each once, also after another activation', async () => {
  const { others, each, record, stage, tables, root } = await marked();
  await each('favourite', others);
  await each('bookmark', others.slice(0, 300));
  await each('favourite', others);
  assert.equal((await record())?.favourites, others.length);
  const [first = '', second = ''] = others;
  await stage.clock.advance(3_600_000);
  await each('favourite', others);
  await each('unfavourite', [first, first]);
  assert.equal((await record())?.favourites, others.length - 1);
  const rows = await tables.range(favouritedBy, { status: root.id }, { limit: 5_000 });
  assert.equal(rows.length, others.length - 1);
  const own = (account: string) => tables.get(marks, { account, era: eraOfId(root.id), status: root.id });
  const [undone, kept] = [await own(first), await own(second)];
  assert.deepEqual([undone?.favouriteId, typeof undone?.bookmarkId], [undefined, 'string']);
  assert.deepEqual([typeof kept?.favouriteId, typeof kept?.bookmarkId], ['string', 'string']);
});

test('the deletion of a status with many marks removes all rows, and is published once', async () => {
  const { others, rebloggers, each, tables, root, ann, conversation, published, stage } = await marked();
  await each('reblog', rebloggers.slice(0, 10));
  await each('favourite', others);
  await each('bookmark', [...others.slice(100, 200), ...rebloggers]);
  await each('reblog', rebloggers.slice(10));
  const reblogs = await tables.range(rebloggedBy, { status: root.id }, { limit: 5_000 });
  assert.equal(reblogs.length, rebloggers.length);
  published.length = 0;
  await conversation(root.conversationId, 'remove', { statusId: root.id, by: ann });
  await stage.clock.settle();
  const deletions = published.filter(({ kind }) => kind === 'delete');
  assert.deepEqual(
    deletions.map(({ id, status }) => [id, status?.reblogs]),
    [[root.id, rebloggers.length]],
  );
  const left = async (table: typeof rebloggedBy) =>
    (await tables.range(table, { status: root.id }, { limit: 5_000 })).length;
  assert.deepEqual([await left(rebloggedBy), await left(favouritedBy)], [0, 0]);
  for (let lane = 0; lane < PUBLIC_LANES; lane++)
    assert.deepEqual(await tables.range(statusMarks, { status: root.id, lane }, { limit: 5_000 }), []);
  for (const { key } of reblogs) assert.equal(await tables.get(statuses, { status: key.mark }), undefined);
  for (const account of [...others, ...rebloggers]) {
    const partition = { account, era: eraOfId(root.id) };
    for (const table of [marks, favourites, bookmarks, accountStatuses] as const)
      assert.deepEqual(await tables.range(table as typeof marks, partition, { limit: 10 }), []);
  }
  const counts = await tables.getMany(
    accounts,
    rebloggers.map((account) => ({ account })),
  );
  assert.deepEqual([...new Set(counts.map((record) => record?.statuses))], [0]);
});
