import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UPLOADS_ALARM } from '../../../actors/account/media.js';
import { SCHEDULE_AHEAD_MS_MIN, SCHEDULED_DAY_MAX, SCHEDULED_MAX } from '../../../actors/account/scheduled.js';
import type { AccountMedia } from '../../../proto/gen/types.js';
import { blankPost } from '../reactions/town.js';
import { newcomer, startMs } from './newcomer.js';

const DAY_MS = 86_400_000;
const dueMs = startMs + SCHEDULE_AHEAD_MS_MIN;
const later = { post: { ...blankPost, idempotencyKey: 'key' }, dueMs };
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const alice = () => newcomer().when('schedule', later);
const idOf = (who: ReturnType<typeof alice>) => [...who.state.scheduled.keys()][0] ?? '';

test('a scheduled status is posted once when it is due', () => {
  const kept = alice();
  assert.deepEqual(types(kept.events), ['scheduled']);
  const what = idOf(kept);
  assert.equal(kept.when('alarm', { what, atMs: dueMs }, { nowMs: dueMs - 1 }).lastProblem?.problem, 'unavailable');
  const posted = kept.when('alarm', { what, atMs: dueMs }, { nowMs: dueMs });
  assert.deepEqual(types(posted.events), ['scheduled', 'posted', 'unscheduled']);
  assert.deepEqual([posted.state.statuses, posted.state.scheduled.size], [1, 0]);
  assert.equal(
    posted.when('alarm', { what, atMs: dueMs }, { nowMs: dueMs }).events.length,
    3,
    'a second call changes nothing',
  );
});

test('a rescheduled status is not posted at its first time, and a cancelled one never', () => {
  const put = alice();
  const id = idOf(put);
  put.when('reschedule', { id, dueMs: dueMs + 1 });
  assert.deepEqual(put.when('alarm', { what: id, atMs: dueMs }, { nowMs: dueMs }).events.length, 1);
  assert.equal(put.state.scheduled.size, 1);
  const given = alice();
  given.when('unschedule', { id: idOf(given) });
  assert.equal(given.when('unschedule', { id: idOf(put) }).lastProblem?.problem, 'not_found');
  assert.equal(given.when('reschedule', { id: idOf(put), dueMs }).lastProblem?.problem, 'not_found');
});

test('uploads of a scheduled status are reserved for it, and released with it', () => {
  const upload = { id: '7', key: 'a', state: 'ready', kind: 'image', atMs: startMs } as AccountMedia;
  const withUpload = () => newcomer(({ uploads }) => void uploads.set('7', upload));
  const draft = { ...later, post: { ...later.post, media: { ids: ['7'] } } };
  const held = withUpload().when('schedule', draft);
  const other = { ...blankPost, media: { ids: ['7'] } };
  assert.equal(held.when('post', other).lastProblem?.problem, 'invalid');
  assert.equal(held.when('removeMedia', { id: '7' }).lastProblem?.problem, 'invalid');
  const rung = held.when('alarm', { what: UPLOADS_ALARM, atMs: 0 }, { nowMs: startMs + 9 * DAY_MS });
  assert.deepEqual(types(rung.events), ['scheduled'], 'days later it is still there');
  const what = idOf(held);
  const posted = rung.when('alarm', { what, atMs: dueMs }, { nowMs: startMs + 9 * DAY_MS });
  assert.deepEqual(types(posted.events), ['scheduled', 'posted', 'unscheduled']);
  assert.deepEqual([posted.state.uploads.size, posted.state.held.size], [0, 0]);
  const given = withUpload().when('schedule', draft);
  const free = given.when('unschedule', { id: idOf(given) }, { nowMs: startMs + 1 });
  assert.deepEqual(types(free.events), ['scheduled', 'unscheduled', 'mediaReleased']);
  assert.deepEqual([free.state.held.size, free.state.uploads.get('7')?.atMs], [0, startMs + 1]);
  assert.equal(free.when('post', other).lastProblem, undefined);
});

test('a suspended account does not post scheduled statuses', () => {
  const suspended = alice();
  suspended.state.moderation.suspendedAtMs = 1;
  const after = suspended.when('alarm', { what: idOf(suspended), atMs: dueMs }, { nowMs: dueMs });
  assert.deepEqual([types(after.events), after.state.statuses], [['scheduled', 'unscheduled'], 0]);
});

test('a scheduled reply is discarded when its addressee has blocked its author since', () => {
  const addressee = '000000000000000042';
  const answer = { ...later.post, inReplyToId: '000000000000000043', inReplyToAccountId: addressee };
  const asked = newcomer().when('schedule', { post: answer, dueMs });
  asked.when('receiveBlock', { from: addressee, on: true });
  assert.equal(asked.when('post', answer).lastProblem?.problem, 'not_found');
  const due = asked.when('alarm', { what: idOf(asked), atMs: dueMs }, { nowMs: dueMs });
  assert.ok(!types(due.events).includes('posted'));
  assert.deepEqual([due.state.statuses, due.state.scheduled.size], [0, 0]);
});

test('invalid dates, too many statuses in all or for one day, and invalid statuses are refused', () => {
  const refused = (who: ReturnType<typeof newcomer>, more: object = {}) =>
    who.when('schedule', { ...later, ...more }).lastProblem?.problem;
  assert.equal(refused(newcomer(), { dueMs: dueMs - 1 }), 'invalid');
  assert.equal(refused(newcomer(), { dueMs: Number.NaN }), 'invalid');
  assert.equal(refused(newcomer(), { post: { ...blankPost, text: ' ' } }), 'invalid');
  const many = (count: number, days: number) =>
    newcomer(({ scheduled }) => {
      for (let n = 0; n < count; n++) scheduled.set(`${n}`, { post: blankPost, dueMs: dueMs + n * days * DAY_MS });
    });
  assert.equal(refused(many(SCHEDULED_DAY_MAX, 0)), 'invalid');
  assert.equal(refused(many(SCHEDULED_DAY_MAX, 0), { dueMs: dueMs + DAY_MS }), undefined);
  assert.equal(refused(many(SCHEDULED_MAX, 1), { dueMs: dueMs + 1_000 * DAY_MS }), 'invalid');
});
