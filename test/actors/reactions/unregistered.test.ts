import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraOfMs, makeId } from '../../../actors/domain/ids.js';
import { notifications } from '../../../store/tables.js';
import { blankPost, town } from './town.js';

test('effects of an unregistered account on a status do not delay others', async () => {
  const { account, conversation, id, stage, tables } = await town(['ann', 'ben']);
  const [ann, ben] = [id('ann'), id('ben')];
  const root = await account(ann, 'post', blankPost);
  assert.ok('id' in root);
  const statusId = root.id;
  const nobody = { statusId, by: makeId(stage.clock.nowMs(), 2, 9) };
  const reblog = { follows: false, visibility: 'public' };
  await conversation(root.conversationId, 'reblog', { ...nobody, ...reblog });
  await conversation(root.conversationId, 'favourite', nobody);
  await conversation(root.conversationId, 'unreblog', nobody);
  await conversation(root.conversationId, 'unfavourite', nobody);
  await conversation(root.conversationId, 'favourite', { statusId, by: ben });
  const told = await tables.range(notifications, { account: ann, era: eraOfMs(stage.clock.nowMs()) }, { limit: 10 });
  assert.deepEqual(
    told.map(({ value }) => [value.type, value.from]),
    [['favourite', ben]],
  );
});
