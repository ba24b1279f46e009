import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  alarmOf,
  EXPECTED_MAX,
  IMPORT_MS_MAX,
  imports,
  noImports,
  PAUSE_MS,
  RESULT_KEPT_MS,
  UPLOAD_MS_MAX,
  uploadAlarm,
} from '../../../actors/imports/imports.js';
import type { ImportsProgress } from '../../../proto/gen/types.js';
import { given } from '../../kit/actors/given.js';

const FILE = `${'a'.repeat(32)}.csv`;
const OTHER = `${'b'.repeat(32)}.csv`;
const startMs = 1_767_225_600_000;
const wanted = { kind: 'follows', file: FILE, rows: 5, replaces: true };

const fresh = (nowMs = startMs, state = noImports()) => given(imports, state, { self: '1', nowMs });
const begun = () => fresh().when('begin', wanted);
const progress = (more: Partial<ImportsProgress> = {}): ImportsProgress => ({
  ...{ place: 0, failed: [], removed: 0, stuck: 0, cleared: true, busy: false },
  ...more,
});
const step = (number: number, more?: Partial<ImportsProgress>, file = FILE) => ({
  ...{ kind: 'follows', file, step: number, progress: progress(more) },
});
const job = ({ state }: Pick<ReturnType<typeof fresh>, 'state'>) => state.jobs.get('follows');

test('an import advances step by step to its end, and a repeated or outdated step counts nothing', () => {
  const cleared = begun().when('advance', step(0, { removed: 2 }));
  const first = cleared.when('advance', step(1, { place: 3, failed: [1], removed: 2 }));
  const repeated = first
    .when('advance', step(1, { place: 3, failed: [1], removed: 2 }))
    .when('advance', step(2, { place: 5 }, OTHER))
    .when('begin', wanted);
  assert.deepEqual(repeated.events.length, first.events.length);
  const ended = repeated.when('advance', step(2, { place: 5, failed: [4], removed: 2 }));
  assert.deepEqual([job(ended)?.failed, job(ended)?.how, job(ended)?.endedMs], [[1, 4], 'done', startMs]);
  const late = ended.when('advance', step(3, { place: 5 })).when('end', { kind: 'follows', file: FILE, how: 'lost' });
  assert.equal(late.events.length, ended.events.length);
});

test('one import of a list runs at a time; the next one removes the result of the last', () => {
  const refused = begun().when('begin', { ...wanted, file: OTHER });
  assert.equal(refused.lastProblem?.problem, 'conflict');
  assert.equal(begun().when('begin', { ...wanted, kind: 'blocks', file: OTHER }).lastProblem, undefined);
  for (const kind of ['', 'secrets', '__proto__'])
    assert.equal(fresh().when('begin', { ...wanted, kind }).lastProblem?.problem, 'bad_request');
  const cancelled = begun().when('end', { kind: 'follows', file: FILE, how: 'cancelled' });
  assert.equal(job(cancelled)?.how, 'cancelled');
  const again = cancelled.when('begin', { ...wanted, file: OTHER });
  assert.deepEqual(
    [job(again)?.file, job(again)?.place, again.events.at(-1)],
    [OTHER, 0, { type: 'begun', ...wanted, file: OTHER, formerFile: FILE, atMs: startMs }],
  );
});

test('a busy import pauses, goes on by an alarm, and ends when it takes too long', () => {
  const paused = begun().when('advance', step(0, { place: 2, busy: true }));
  const atMs = startMs + PAUSE_MS;
  const what = 'follows/resume';
  assert.deepEqual(alarmOf(paused.state.jobs.get('follows') ?? assert.fail()), { atMs, what });
  assert.equal(paused.when('alarm', { atMs, what }).lastProblem?.problem, 'unavailable', 'too early');
  const alarmed = (nowMs: number, call = { atMs, what }) => fresh(nowMs, paused.state).when('alarm', call);
  assert.equal(alarmed(atMs, { atMs: atMs - 1, what }).events.length, 0, 'an outdated alarm');
  assert.equal(alarmed(atMs, { atMs, what: 'follows/expiry' }).events.length, 0);
  assert.deepEqual(alarmed(atMs).events, [{ type: 'resumed', kind: 'follows', step: 1 }]);
  const paused2 = begun().when('advance', step(0, { place: 2, busy: true }));
  const late = fresh(startMs + IMPORT_MS_MAX + 1, paused2.state).when('alarm', { atMs, what });
  assert.deepEqual([job(late)?.how, job(late)?.place], ['overdue', 2]);
});

test('a result expires with its file, and nothing is left of a deleted account', () => {
  const ended = begun().when('end', { kind: 'follows', file: FILE, how: 'cancelled' });
  const atMs = startMs + RESULT_KEPT_MS;
  const gone = fresh(atMs, ended.state).when('alarm', { atMs, what: 'follows/expiry' });
  assert.deepEqual(gone.events, [{ type: 'removed', kinds: ['follows'], files: [FILE] }]);
  assert.equal(gone.state.jobs.size, 0);
  const discarded = begun().when('discard', {});
  assert.deepEqual([discarded.events.at(-1)?.type, discarded.state.jobs.size], ['removed', 0]);
});

test('an announced file is removed by an alarm unless its import has begun', () => {
  const announced = fresh().when('expect', { kind: 'follows', file: FILE });
  const untilMs = startMs + UPLOAD_MS_MAX;
  const call = { atMs: untilMs, what: uploadAlarm(FILE) };
  assert.deepEqual(announced.events, [{ type: 'expected', file: FILE, untilMs }]);
  assert.equal(announced.when('expect', { kind: 'follows', file: FILE }).events.length, 1, 'a repeat');
  assert.equal(announced.when('alarm', call).lastProblem?.problem, 'unavailable', 'too early');
  assert.equal(announced.when('discard', {}).events.length, 1, 'it may be stored later than this');
  const late = fresh(untilMs, announced.state);
  assert.equal(late.when('alarm', { ...call, atMs: untilMs - 1 }).events.length, 0, 'an outdated alarm');
  assert.equal(late.when('alarm', { ...call, what: uploadAlarm(OTHER) }).events.length, 0, 'another file');
  const gone = late.when('alarm', call);
  assert.deepEqual(gone.events, [{ type: 'removed', kinds: [], files: [FILE] }]);
  assert.equal(gone.when('alarm', call).events.length, 1, 'a repeat');
  const used = fresh().when('expect', { kind: 'follows', file: FILE }).when('begin', wanted);
  assert.equal(fresh(untilMs, used.state).when('alarm', call).events.length, 0, 'an import that has begun');
});

test('a file is announced only if its import could begin, and few are announced at a time', () => {
  const during = begun().when('expect', { kind: 'follows', file: OTHER });
  assert.equal(during.lastProblem?.problem, 'conflict');
  assert.equal(begun().when('expect', { kind: 'blocks', file: OTHER }).lastProblem, undefined);
  assert.equal(fresh().when('expect', { kind: 'secrets', file: OTHER }).lastProblem?.problem, 'bad_request');
  let full = fresh();
  for (let number = 0; number < EXPECTED_MAX; number++)
    full = full.when('expect', { kind: 'follows', file: `${number}.csv` });
  assert.equal(full.events.length, EXPECTED_MAX);
  assert.equal(full.when('expect', { kind: 'follows', file: FILE }).lastProblem?.problem, 'limit_reached');
});
