import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MUTED_CONVERSATIONS_MAX } from '../../../actors/account/muted-conversations.js';
import { newcomer, other } from './newcomer.js';

const quiet = { conversationId: '7' };
const notice = { type: 'favourite', from: other, statusId: '8', conversationId: '7' };

test('a muted conversation makes no notifications until it is unmuted', () => {
  const alice = newcomer().when('muteConversation', quiet).when('muteConversation', quiet).when('notify', notice);
  assert.deepEqual(
    alice.events.map(({ type }) => type),
    ['conversationMuted'],
  );
  assert.equal(
    newcomer()
      .when('muteConversation', quiet)
      .when('notify', { ...notice, conversationId: '6' }).events.length,
    2,
  );
  const heard = alice.when('unmuteConversation', quiet).when('unmuteConversation', quiet).when('notify', notice);
  assert.deepEqual(
    heard.events.map(({ type }) => type),
    ['conversationMuted', 'conversationUnmuted', 'notified'],
  );
});

test('muted conversations are bounded and part of the sources', () => {
  const full = newcomer(({ mutedConversations }) => {
    for (let n = 0; n < MUTED_CONVERSATIONS_MAX; n++) mutedConversations.add(`c${n}`);
  });
  assert.equal(full.when('muteConversation', quiet).lastProblem?.problem, 'limit_reached');
  const { reply } = newcomer().when('muteConversation', quiet).when('sources', {});
  assert.ok(reply !== undefined && 'mutedConversations' in reply);
  assert.deepEqual(reply.mutedConversations, ['7']);
});
