import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversationKind } from '../../../../actors/kinds/conversation.js';
import { receiverOf } from '../../../../actors/runtime/kind.js';

test('another server can favourite and delete its own, but not bookmark, read or ring', async () => {
  const asked: string[] = [];
  const ask = async (_kind: string, _id: string, command: string) => void asked.push(command);
  const receive = receiverOf(conversationKind(), { ask, answerNow: () => undefined });
  await receive('1', 'favourite', { statusId: '1', by: '2' });
  await receive('1', 'remove', { statusId: '1', by: '2' });
  await assert.rejects(
    receive('1', 'bookmark', { statusId: '1', by: '2' }),
    /another server asked for conversation bookmark/,
  );
  await assert.rejects(receive('1', 'context', { statusId: '1' }));
  await assert.rejects(receive('1', 'alarm', { what: '1', atMs: 0 }));
  assert.deepEqual(asked, ['favourite', 'remove']);
});
