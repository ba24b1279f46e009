import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRAFTS_OF_CONVERSATION_MAX, GRAFTS_OF_STATUS_MAX } from '../../../actors/conversation/graft.js';
import { started, status } from './thread-of-one.js';

const remote = { emojis: [], updatedMs: 0, inReplyToUri: 'https://far.example/2', repliesUri: '' };
const early = () => started({ domain: 'far.example', remote });
const named = { statusId: '1', parentId: '2', parentAccountId: 'pat', conversationId: '2', gone: false };
const grafting = { statusId: '1', replyId: '9', open: true };
type Thread = ReturnType<typeof started>;
const record = (thread: Thread) => thread.state.statuses.get('1')?.record;
const events = (thread: Thread, type: string) => thread.events.filter((event) => event.type === type);

test('a reply learns once which status it answers, and that it was deleted', () => {
  const joined = early().when('nameParent', named).when('nameParent', named);
  assert.equal(events(joined, 'parentNamed').length, 1);
  assert.deepEqual([record(joined)?.inReplyToId, record(joined)?.inReplyToAccountId], ['2', 'pat']);
  const gone = { ...named, gone: true };
  const orphaned = joined.when('nameParent', gone).when('nameParent', gone).when('nameParent', named);
  assert.equal(events(orphaned, 'parentNamed').length, 2);
  assert.equal(record(orphaned)?.parentGone, true);
});

test('a reply has one parent, and none in its own conversation', () => {
  const joined = early().when('nameParent', named);
  assert.equal(joined.when('nameParent', { ...named, parentId: '3' }).lastProblem?.problem, 'not_found');
  // The status that it claims to answer answers it: that came first here.
  const circle = early()
    .when('add', { status: status({ id: '2', inReplyToId: '1' }) })
    .when('nameParent', named);
  assert.equal(circle.lastProblem?.problem, 'not_found');
  const answering = started({ inReplyToId: '5' }).when('nameParent', named);
  assert.equal(answering.lastProblem?.problem, 'not_found');
});

test('a deleted or unknown reply learns nothing', () => {
  const removed = early().when('remove', { statusId: '1', by: 'author' }).when('nameParent', named);
  assert.equal(removed.lastProblem?.problem, 'not_found');
  assert.equal(early().when('nameParent', { ...named, statusId: '8' }).lastProblem?.problem, 'not_found');
});

test('a reply of a full thread knows its parent from the start', () => {
  const reply = { status: status({ id: '9', inReplyToId: '2' }), parentConversationId: '2' };
  const thread = early().when('add', reply);
  assert.deepEqual(thread.state.parentElsewhere, { statusId: '9', parentId: '2', conversationId: '2' });
  const again = thread.when('nameParent', { ...named, statusId: '9' });
  assert.deepEqual([again.lastProblem, events(again, 'parentNamed')], [undefined, []]);
});

test('a grafted reply is a descendant, counted if everybody may see it, until it is deleted', () => {
  const thread = started()
    .when('add', { status: status({ id: '2', inReplyToId: '1' }) })
    .when('add', { status: status({ id: '3', inReplyToId: '2' }) })
    .when('graft', grafting)
    .when('graft', grafting)
    .when('graft', { statusId: '2', replyId: '8', open: false });
  assert.equal(events(thread, 'grafted').length, 2);
  assert.deepEqual([record(thread)?.replies, thread.state.statuses.get('2')?.record.replies], [2, 1]);
  const below = { ancestors: [], descendants: ['2', '3', '8', '9'], grafts: ['8', '9'] };
  assert.deepEqual(thread.when('context', { statusId: '1' }).reply, below);
  const undone = thread.when('ungraft', { statusId: '1', replyId: '9' });
  assert.equal(undone.when('ungraft', { statusId: '1', replyId: '9' }).lastProblem?.problem, 'not_found');
  assert.equal(record(undone)?.replies, 1);
  assert.deepEqual(undone.when('context', { statusId: '1' }).reply, {
    ...{ ancestors: [], descendants: ['2', '3', '8'], grafts: ['8'] },
  });
});

test('a deleted status takes no grafts, and one that is on its way takes them', () => {
  const removed = started().when('remove', { statusId: '1', by: 'author' });
  assert.equal(removed.when('graft', grafting).lastProblem?.problem, 'not_found');
  const late = started()
    .when('graft', { ...grafting, statusId: '2' })
    .when('add', { status: status({ id: '2', inReplyToId: '1' }) });
  assert.equal(late.state.statuses.get('2')?.record.replies, 1);
  assert.deepEqual(late.when('context', { statusId: '2' }).reply, {
    ...{ ancestors: ['1'], descendants: ['9'], grafts: ['9'] },
  });
});

test('a status of the conversation is no graft', () => {
  const thread = started()
    .when('add', { status: status({ id: '2', inReplyToId: '1' }) })
    .when('graft', { ...grafting, replyId: '2' });
  assert.deepEqual([thread.lastProblem, events(thread, 'grafted')], [undefined, []]);
});

test('the grafts of a status and of a conversation are bounded', () => {
  let thread = started();
  const graft = (statusId: string, n: number) => {
    thread = thread.when('graft', { statusId, replyId: `${statusId}-${n}`, open: true });
    return thread.lastProblem?.problem;
  };
  for (let n = 0; n < GRAFTS_OF_STATUS_MAX; n++) assert.equal(graft('1', n), undefined);
  assert.equal(graft('1', GRAFTS_OF_STATUS_MAX), 'limit_reached');
  const more = GRAFTS_OF_CONVERSATION_MAX - GRAFTS_OF_STATUS_MAX;
  for (let n = 0; n < more; n++) assert.equal(graft(`s${n}`, 0), undefined);
  assert.equal(graft('last', 0), 'limit_reached');
  assert.equal(record(thread)?.replies, GRAFTS_OF_STATUS_MAX);
});

test('an edit of another server does not move a reply to another thread', () => {
  const moved = { ...remote, inReplyToUri: 'https://victim.example/1', updatedMs: 5 };
  const edited = status({ domain: 'far.example', text: 'edited', remote: moved });
  const thread = early().when('revise', { statusId: '1', by: 'author', status: edited });
  assert.deepEqual([record(thread)?.text, record(thread)?.remote?.updatedMs], ['edited', 5]);
  assert.equal(record(thread)?.remote?.inReplyToUri, remote.inReplyToUri);
});
