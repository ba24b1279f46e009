import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldMarks, MARKS_MAX } from '../../../actors/conversation/marks.js';
import { conversationSlices } from '../../../actors/conversation/slices.js';
import { initialConversation, THREAD_STATUSES_MAX } from '../../../actors/conversation/state.js';
import { CONTEXT_MAX } from '../../../actors/conversation/thread.js';
import { joined } from '../../../actors/runtime/slice.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { given } from '../../kit/actors/given.js';
import { fc } from '../../kit/property.js';

const slice = joined(conversationSlices);
const conversation = (state = initialConversation()) => given(slice, state);

function status(id: string, inReplyToId?: string, visibility = 'public', accountId = 'author'): StoreStatusRecord {
  return {
    ...{
      id,
      accountId,
      conversationId: '1',
      inReplyToId,
      text: 'text',
      html: '<p>text</p>',
      spoilerText: '',
      visibility,
    },
    ...{ sensitive: false, mentions: [], tags: [], createdAtMs: 1, editedAtMs: 0, deleted: false },
    ...{ favourites: 0, reblogs: 0, replies: 0 },
  };
}

const started = (visibility = 'public') => conversation().when('add', { status: status('1', undefined, visibility) });
const mark = { statusId: '1', by: 'bob' };

test('a status is added once, and a full conversation refuses more', () => {
  const twice = started().when('add', { status: status('1') });
  assert.equal(twice.events.length, 1);
  const entry = twice.state.statuses.get('1');
  assert.ok(entry !== undefined);
  for (let n = 2; n <= THREAD_STATUSES_MAX; n++) twice.state.statuses.set(`${n}`, entry);
  assert.equal(twice.when('add', { status: status('x') }).lastProblem?.problem, 'limit_reached');
});

test('only the author can remove a status, once, and its text is deleted', () => {
  assert.equal(started().when('remove', { statusId: '1', by: 'bob' }).lastProblem?.problem, 'not_found');
  assert.equal(started().when('remove', { statusId: '2', by: 'author' }).lastProblem?.problem, 'not_found');
  const removed = started().when('remove', { statusId: '1', by: 'author' });
  assert.equal(removed.when('remove', { statusId: '1', by: 'author' }).events.length, 2);
  assert.deepEqual(
    [removed.state.statuses.get('1')?.record.text, removed.state.statuses.get('1')?.record.deleted],
    ['', true],
  );
});

test('a reply loses its deleted parent, even if it arrives later', () => {
  const thread = started()
    .when('add', { status: status('2', '1') })
    .when('add', { status: status('3', '2') })
    .when('remove', { statusId: '1', by: 'author' })
    .when('add', { status: status('4', '1') });
  const gone = ['2', '3', '4'].map((id) => thread.state.statuses.get(id)?.record.parentGone === true);
  assert.deepEqual(gone, [true, false, true]);
});

test('only replies to a deleted status are updated', () => {
  assert.equal(started().when('orphanSome', { statusId: '1', from: 100 }).lastProblem?.problem, 'not_found');
  const removed = started().when('remove', { statusId: '1', by: 'author' });
  const [last] = removed.when('orphanSome', { statusId: '1', from: 100 }).events.slice(-1);
  assert.deepEqual(last, { type: 'someOrphaned', statusId: '1', from: 100 });
});

test('a favourite and its undoing are each counted once', () => {
  const marked = started().when('favourite', mark).when('favourite', mark);
  assert.deepEqual([marked.events.length, marked.state.statuses.get('1')?.record.favourites], [2, 1]);
  const undone = marked.when('unfavourite', mark).when('unfavourite', mark);
  assert.deepEqual([undone.events.length, undone.state.statuses.get('1')?.record.favourites], [3, 0]);
});

test('a reblog has the same id until it is undone', () => {
  const marked = started().when('reblog', mark);
  assert.deepEqual(marked.when('reblog', mark).reply, marked.reply);
  assert.equal(marked.events.length, 2);
  assert.deepEqual(marked.when('unreblog', mark).reply, { reblogId: '000000000000000001' });
  assert.deepEqual(marked.when('unreblog', mark).reply, {});
});

test('private and direct statuses, and unknown visibilities, cannot be reblogged', () => {
  for (const visibility of ['private', 'direct'])
    assert.equal(started(visibility).when('reblog', mark).lastProblem?.problem, 'invalid');
  assert.equal(started().when('reblog', { ...mark, visibility: 'direct' }).lastProblem?.problem, 'invalid');
});

test('deleted and unknown statuses cannot be marked', () => {
  for (const command of ['favourite', 'unfavourite', 'reblog', 'unreblog'] as const) {
    const removed = started().when('remove', { statusId: '1', by: 'author' });
    assert.equal(removed.when(command, mark).lastProblem?.problem, 'not_found');
    assert.equal(conversation().when(command, mark).lastProblem?.problem, 'not_found');
  }
});

test('marks are bounded', () => {
  const full = started();
  const entry = full.state.statuses.get('1');
  assert.ok(entry !== undefined);
  entry.markCount = MARKS_MAX;
  assert.equal(full.when('favourite', mark).lastProblem?.problem, 'limit_reached');
  assert.equal(full.when('reblog', mark).lastProblem?.problem, 'limit_reached');
});

test('a context has ancestors from the root and descendants depth first, divided at deleted statuses', () => {
  const thread = started()
    .when('add', { status: status('2', '1') })
    .when('add', { status: status('3', '1') })
    .when('add', { status: status('4', '2') })
    .when('add', { status: status('5', '4') })
    .when('add', { status: status('6', '1') });
  const whole = ['2', '4', '5', '3', '6'];
  assert.deepEqual(thread.when('context', { statusId: '1' }).reply, { ancestors: [], descendants: whole, grafts: [] });
  assert.deepEqual(thread.when('context', { statusId: '5' }).reply, {
    ancestors: ['1', '2', '4'],
    descendants: [],
    grafts: [],
  });
  thread.when('remove', { statusId: '2', by: 'author' });
  assert.deepEqual(thread.when('context', { statusId: '1' }).reply, {
    ancestors: [],
    descendants: ['3', '6'],
    grafts: [],
  });
  assert.deepEqual(thread.when('context', { statusId: '5' }).reply, { ancestors: ['4'], descendants: [], grafts: [] });
  assert.deepEqual(thread.when('context', { statusId: '4' }).reply, { ancestors: [], descendants: ['5'], grafts: [] });
  assert.equal(thread.when('context', { statusId: '2' }).lastProblem?.problem, 'not_found');
});

test('the answers that everybody may see are listed in pages by id, without deleted ones', () => {
  const thread = started()
    .when('add', { status: status('3', '1') })
    .when('add', { status: status('2', '1') })
    .when('add', { status: { ...status('4', '1'), visibility: 'private' } })
    .when('add', { status: { ...status('5', '1'), visibility: 'unlisted' } })
    .when('add', { status: status('6', '2') })
    .when('add', { status: status('7', '1') })
    .when('remove', { statusId: '7', by: 'author' });
  const listed = (parentId: string, after: string, limit: number) =>
    thread.when('listOpen', { parentId, after, limit }).reply;
  assert.deepEqual(listed('1', '', 2), { ids: ['2', '3'], more: true, grafts: [] });
  assert.deepEqual(listed('1', '3', 2), { ids: ['5'], more: false, grafts: [] });
  assert.deepEqual(listed('', '', 10), { ids: ['1', '2', '3', '5', '6'], more: false, grafts: [] });
  assert.deepEqual(listed('9', '', 10), { ids: [], more: false, grafts: [] });
  thread
    .when('graft', { statusId: '1', replyId: '4x', open: true })
    .when('graft', { statusId: '1', replyId: '4y', open: false });
  assert.deepEqual(listed('1', '3', 10), { ids: ['4x', '5'], more: false, grafts: [] });
  assert.deepEqual(listed('', '5', 10), { ids: ['6'], more: false, grafts: ['4x', '4y'] });
});

test('a context of a very deep thread is bounded and needs no recursion', () => {
  let thread = started();
  for (let n = 2; n <= THREAD_STATUSES_MAX; n++)
    slice.apply.added(thread.state, { status: status(`${n}`, `${n - 1}`) }, 0);
  thread = thread.when('context', { statusId: '1' });
  assert.ok(thread.reply !== undefined && 'descendants' in thread.reply);
  assert.equal(thread.reply.descendants.length, CONTEXT_MAX);
});

test('a reply that arrives before its parent is counted and shown after the parent has arrived', () => {
  const late = conversation()
    .when('add', { status: status('2', '1') })
    .when('add', { status: status('1') });
  assert.equal(late.state.statuses.get('1')?.record.replies, 1);
  assert.deepEqual(late.when('context', { statusId: '1' }).reply, { ancestors: [], descendants: ['2'], grafts: [] });
  assert.equal(late.when('remove', { statusId: '2', by: 'author' }).state.statuses.get('1')?.record.replies, 0);
});

test('an early reply is counted even if its parent replies to a deleted status', () => {
  const late = started()
    .when('remove', { statusId: '1', by: 'author' })
    .when('add', { status: status('3', '2') })
    .when('add', { status: status('2', '1') });
  const record = late.state.statuses.get('2')?.record;
  assert.deepEqual([record?.parentGone, record?.replies], [true, 1]);
});

test('counts always equal a recount', () => {
  const id = fc.integer({ min: 1, max: 6 }).map(String);
  const by = fc.constantFrom('author', 'bob', 'carol');
  const visibility = fc.constantFrom('public', 'unlisted', 'private', 'direct');
  const step = fc.oneof(
    fc.tuple(fc.constant('add' as const), id, id, visibility),
    fc.tuple(
      fc.constantFrom('favourite', 'unfavourite', 'reblog', 'unreblog', 'remove').map((c) => c as 'remove'),
      id,
      by,
    ),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let thread = conversation();
      for (const [command, statusId, who, seen] of steps) {
        if (command === 'add')
          thread = thread.when('add', { status: status(statusId, who === statusId ? undefined : who, seen) });
        else thread = thread.when(command, { statusId, by: who });
      }
      for (const entry of thread.state.statuses.values()) {
        const { record, children } = entry;
        const held = Array.from(heldMarks(entry), ([, one]) => one);
        const favourites = held.filter(({ favouriteId }) => favouriteId !== undefined).length;
        const reblogs = held.filter(({ reblogId }) => reblogId !== undefined).length;
        const replies = children.filter((child) => {
          const reply = thread.state.statuses.get(child)?.record;
          return reply?.deleted === false && ['public', 'unlisted'].includes(reply.visibility);
        });
        const counts = [record.favourites, record.reblogs, record.replies, entry.markCount];
        assert.deepEqual(counts, [favourites, reblogs, replies.length, favourites + reblogs]);
      }
    }),
  );
});
