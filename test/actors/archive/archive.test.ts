import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ARCHIVE_AGAIN_MS,
  ARCHIVE_KEPT_MS,
  archive,
  type Commands,
  type Events,
  EXPIRY_ALARM,
  noArchive,
  type State,
} from '../../../actors/archive/archive.js';
import { given } from '../../kit/actors/given.js';

const BEGUN_MS = 1_767_225_600_000;
const begun = () => given<State, Commands, Events>(archive, noArchive()).when('begin', {});
const piece = (number: number, isLast = false): Commands['addPiece']['in'] => ({
  begunMs: BEGUN_MS,
  number,
  piece: { file: `file ${number}`, dataBytes: 10, directoryBytes: 2 },
  zip: { bytes: 10 * (number + 1), files: 1 },
  place: isLast ? undefined : { phase: 'outbox', after: '', item: 0, byte: 0, count: 0, partial: false },
  partial: false,
});
const complete = () => begun().when('addPiece', piece(0)).when('addPiece', piece(1, true));

test('an archive has no pieces to download before the last one is stored', () => {
  const half = begun().when('addPiece', piece(0));
  const told = half.when('tellArchive', {}).reply as Commands['tellArchive']['out'];
  assert.deepEqual([told.exists, told.readyMs, told.pieces], [true, 0, []]);
  const whole = half.when('addPiece', piece(1, true));
  const ready = whole.when('tellArchive', {}).reply as Commands['tellArchive']['out'];
  assert.deepEqual([ready.readyMs, ready.expiresMs], [BEGUN_MS, BEGUN_MS + ARCHIVE_KEPT_MS]);
  assert.deepEqual(
    ready.pieces.map(({ file }) => file),
    ['file 0', 'file 1'],
  );
});

test('a second archive within 7 days is refused and changes nothing', () => {
  const early = complete().when('begin', {}, { nowMs: BEGUN_MS + ARCHIVE_AGAIN_MS - 1 });
  assert.equal(early.lastProblem?.problem, 'limit_reached');
  assert.equal(early.events.length, 3);
  const later = early.when('begin', {}, { nowMs: BEGUN_MS + ARCHIVE_AGAIN_MS });
  const event = later.events.at(-1);
  assert.deepEqual(event?.type === 'begun' && event.files, ['file 0', 'file 1'], 'the former files are removed');
});

test('a repeated piece changes nothing, and one of another attempt or archive is removed', () => {
  const half = () => begun().when('addPiece', piece(0));
  assert.equal(half().when('addPiece', piece(0)).events.length, 2);
  const other = { ...piece(0), piece: { file: 'another', dataBytes: 9, directoryBytes: 2 } };
  assert.deepEqual(half().when('addPiece', other).events.at(-1), { type: 'leftOver', files: ['another'] });
  const earlier = half().when('addPiece', { ...piece(1), begunMs: 1 });
  assert.deepEqual(earlier.events.at(-1), { type: 'leftOver', files: ['file 1'] });
  const gone = half().when('discard', {}).when('addPiece', piece(1));
  assert.deepEqual(gone.events.slice(2), [
    { type: 'discarded', files: ['file 0'] },
    { type: 'leftOver', files: ['file 1'] },
  ]);
});

test('an archive ends at its alarm, and an alarm of an earlier one is ignored', () => {
  const expiresMs = BEGUN_MS + ARCHIVE_KEPT_MS;
  const call = { what: EXPIRY_ALARM, atMs: expiresMs };
  const early = complete().when('alarm', call, { nowMs: expiresMs - 1 });
  assert.equal(early.lastProblem?.problem, 'unavailable');
  assert.equal(complete().when('alarm', { ...call, atMs: 5 }, { nowMs: expiresMs }).events.length, 3);
  const ended = complete().when('alarm', call, { nowMs: expiresMs });
  const event = ended.events.at(-1);
  assert.deepEqual(event?.type === 'discarded' && event.files, ['file 0', 'file 1']);
  const told = ended.when('tellArchive', {}).reply as Commands['tellArchive']['out'];
  assert.deepEqual([told.exists, told.pieces, told.begunMs], [false, [], BEGUN_MS]);
});
