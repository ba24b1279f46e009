import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ORPHANED_AT_ONCE_MAX } from '../../../actors/conversation/thread.js';
import { statuses } from '../../../store/tables.js';
import { blankPost, town } from './town.js';

const REPLIES = 2 * ORPHANED_AT_ONCE_MAX + 1;

test('all replies to a deleted status are updated, however many', async () => {
  const { tables, account, conversation, id } = await town(['ann']);
  const ann = id('ann');
  const root = await account(ann, 'post', blankPost);
  assert.ok('id' in root);
  const answering = { inReplyToId: root.id, inReplyToAccountId: ann, conversationId: root.conversationId };
  const replies: string[] = [];
  for (let n = 0; n < REPLIES; n++) {
    const reply = await account(ann, 'post', { ...blankPost, ...answering });
    assert.ok('id' in reply);
    replies.push(reply.id);
  }
  const [last = ''] = replies.slice(-1);
  await conversation(root.conversationId, 'remove', { statusId: last, by: ann });
  await conversation(root.conversationId, 'remove', { statusId: root.id, by: ann });
  const rows = await tables.getMany(
    statuses,
    replies.map((status) => ({ status })),
  );
  const deleted = rows.filter((row) => row?.deleted === true);
  assert.deepEqual([deleted.length, deleted[0]?.id], [1, last]);
  for (const row of rows) if (row?.deleted === false) assert.equal(row.parentGone, true, row.id);
});
