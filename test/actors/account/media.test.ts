import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UPLOAD_MS_MAX, UPLOADS_ALARM, UPLOADS_MAX, uploadAlarmMs } from '../../../actors/account/media.js';
import type { AccountMedia } from '../../../proto/gen/types.js';
import { newcomer, startMs } from './newcomer.js';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const an = (key: string, more: Partial<AccountMedia> = {}): AccountMedia => ({
  id: '',
  key,
  state: 'ready',
  kind: 'image',
  file: `${key}.png`,
  preview: `${key}.small.jpg`,
  width: 4,
  height: 3,
  previewWidth: 4,
  previewHeight: 3,
  blurhash: 'x',
  description: '',
  durationS: 0,
  bitsPerS: 0,
  framesPerS: 0,
  atMs: 0,
  ...more,
});
const withUploads = (...all: readonly AccountMedia[]) =>
  newcomer(({ uploads }) => {
    for (const [index, one] of all.entries()) uploads.set(String(index), { ...one, id: String(index), atMs: startMs });
  });
const text = { text: 'x', html: '', spoilerText: '', visibility: 'public', sensitive: false, mentions: [], tags: [] };

test('an upload is added once, however often it is sent', () => {
  const alice = newcomer().when('addMedia', { media: an('a') });
  const first = alice.reply as AccountMedia;
  const again = alice.when('addMedia', { media: an('a') });
  assert.deepEqual(types(again.events), ['mediaAdded']);
  assert.equal((again.reply as AccountMedia).id, first.id);
});

test('an upload removes expired ones, and the oldest above the limit', () => {
  const old = withUploads(an('a')).when('addMedia', { media: an('b') }, { nowMs: startMs + UPLOAD_MS_MAX });
  assert.deepEqual(types(old.events), ['mediaRemoved', 'mediaAdded']);
  const full = withUploads(...Array.from({ length: UPLOADS_MAX }, (_, n) => an(`${n}`))).when('addMedia', {
    media: an('x'),
  });
  assert.deepEqual(types(full.events), ['mediaRemoved', 'mediaAdded']);
  assert.equal(full.state.uploads.size, UPLOADS_MAX);
  assert.equal(full.state.uploads.has('0'), false);
});

test('the alarm removes unused uploads', () => {
  const alarm = { what: UPLOADS_ALARM, atMs: uploadAlarmMs(startMs) };
  const early = withUploads(an('a')).when('alarm', alarm, { nowMs: startMs + UPLOAD_MS_MAX - 1 });
  assert.deepEqual(early.events, []);
  assert.deepEqual(types(early.when('alarm', alarm, { nowMs: alarm.atMs }).events), ['mediaRemoved']);
});

test('finished processing keeps the owner’s changes, and is recorded once', () => {
  const waiting = withUploads(an('a', { state: 'waiting', file: 'a.waiting' }));
  const done = an('a', { id: '0' });
  const finished = waiting
    .when('describeMedia', { id: '0', description: 'seen', previewWidth: 0, previewHeight: 0 })
    .when('finishMedia', { media: done })
    .when('finishMedia', { media: done });
  assert.deepEqual(types(finished.events), ['mediaDescribed', 'mediaFinished']);
  assert.equal(finished.state.uploads.get('0')?.description, 'seen');
  assert.equal((finished.events[1] as unknown as { replaced: string }).replaced, 'a.waiting');
});

test('the owner’s preview replaces the generated one', () => {
  const done = an('a', { id: '0' });
  const own = { preview: 'own.small.jpg', previewWidth: 9, previewHeight: 16, blurhash: 'own' };
  const given = withUploads(an('a', { state: 'waiting', file: 'a.waiting', ...own }));
  const unmade = given.when('finishMedia', { media: { ...done, preview: '' } });
  const late = withUploads(an('a', { state: 'waiting', file: 'a.waiting', preview: '' }))
    .when('describeMedia', { id: '0', ...own })
    .when('finishMedia', { media: done });
  for (const one of [unmade, given.when('finishMedia', { media: done }), late]) {
    const { state, preview, previewWidth, previewHeight, blurhash } = one.state.uploads.get('0') as AccountMedia;
    assert.deepEqual({ state, preview, previewWidth, previewHeight, blurhash }, { state: 'ready', ...own });
  }
  const replaced = (events: readonly object[]) => (events as { replaced?: string }[]).map((event) => event.replaced);
  assert.deepEqual(replaced(unmade.events), ['a.waiting']);
  assert.deepEqual(replaced(late.events), ['', 'a.waiting', 'a.small.jpg']);
});

test('a status attaches all of its uploads or none', () => {
  const alice = withUploads(an('a'), an('b'));
  const missing = alice.when('post', { ...text, media: { ids: ['0', '7'] } });
  assert.equal(missing.lastProblem?.problem, 'invalid');
  assert.equal(missing.state.uploads.size, 2);
  const posted = missing.when('post', { ...text, text: '', media: { ids: ['1', '0'] } });
  assert.equal(posted.lastProblem, undefined);
  const [event] = posted.events as unknown as { media: { media: AccountMedia[] } }[];
  assert.deepEqual(
    event?.media.media.map(({ key }) => key),
    ['b', 'a'],
  );
  assert.equal(posted.state.uploads.size, 0);
});

test('videos are attached alone, and unready or failed uploads never', () => {
  const post = (...all: readonly AccountMedia[]) =>
    withUploads(...all).when('post', { ...text, media: { ids: all.map((_, index) => String(index)) } }).lastProblem
      ?.detail ?? '';
  assert.match(post(an('a', { kind: 'video' }), an('b')), /beside others/);
  assert.match(post(an('a', { state: 'waiting' })), /have not finished processing/);
  assert.match(post(an('a', { state: 'failed' })), /could not be processed/);
  assert.equal(post(an('a', { kind: 'audio' })), '');
});

test('a repeated takeMedia for a status returns the same uploads', () => {
  const alice = withUploads(an('a')).when('takeMedia', { ids: ['0'], statusId: '9' });
  const again = alice.when('takeMedia', { ids: ['0'], statusId: '9' });
  assert.deepEqual(types(again.events), ['mediaTaken']);
  assert.deepEqual(again.reply, alice.reply);
  assert.equal(alice.when('takeMedia', { ids: ['0'], statusId: '8' }).lastProblem?.problem, 'invalid');
});

test('released uploads are unattached for a day, or removed at once', () => {
  const released = newcomer().when('releaseMedia', { media: [an('a', { id: '5' })], discard: false });
  assert.equal(released.state.uploads.get('5')?.atMs, startMs);
  assert.deepEqual(types(released.when('releaseMedia', { media: [an('a', { id: '5' })], discard: false }).events), [
    'mediaReleased',
  ]);
  const discarded = newcomer().when('releaseMedia', { media: [an('a', { id: '5' })], discard: true });
  assert.deepEqual(types(discarded.events), ['mediaRemoved']);
});

test('removing an unknown upload, and a too long description, are refused', () => {
  assert.equal(newcomer().when('removeMedia', { id: '1' }).lastProblem?.problem, 'not_found');
  const long = { id: '0', description: 'x'.repeat(1_501), previewWidth: 0, previewHeight: 0 };
  const alice = withUploads(an('a'));
  assert.equal(alice.when('describeMedia', long).lastProblem?.problem, 'invalid');
  assert.deepEqual(types(alice.when('removeMedia', { id: '0' }).events), ['mediaRemoved']);
});
