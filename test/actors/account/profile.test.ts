import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DISPLAY_NAME_CHARS_MAX,
  FIELD_CHARS_MAX,
  FIELDS_MAX,
  NOTE_CHARS_MAX,
  PROFILE_MENTIONS_MAX,
} from '../../../actors/account/profile.js';
import { newcomer } from './newcomer.js';

const none = { fields: [], setFields: false };

test('given fields change, others stay, and an unchanged profile records nothing', () => {
  const alice = newcomer().when('updateProfile', { ...none, displayName: ' Alice ', locked: true });
  const again = alice.when('updateProfile', { ...none, displayName: 'Alice' });
  assert.equal(again.events.length, 1);
  assert.deepEqual([again.state.profile.displayName, again.state.profile.locked], ['Alice', true]);
});

test('too long and unknown values are refused', () => {
  const field = { name: 'n', value: 'v' };
  const tooMuch = [
    { displayName: 'a'.repeat(DISPLAY_NAME_CHARS_MAX + 1) },
    { note: 'a'.repeat(NOTE_CHARS_MAX + 1) },
    { setFields: true, fields: Array.from({ length: FIELDS_MAX + 1 }, () => field) },
    { setFields: true, fields: [{ ...field, value: 'v'.repeat(FIELD_CHARS_MAX + 1) }] },
    { privacy: 'secret' },
    { language: 'not a language' },
    { language: 'zz' },
  ];
  for (const part of tooMuch) {
    const refused = newcomer().when('updateProfile', { ...none, ...part });
    assert.equal(refused.lastProblem?.problem, 'invalid');
    assert.deepEqual(refused.events, []);
  }
});

test('values of the maximum length are accepted', () => {
  const part = { displayName: 'é'.repeat(DISPLAY_NAME_CHARS_MAX), note: 'a'.repeat(NOTE_CHARS_MAX) };
  assert.equal(newcomer().when('updateProfile', { ...none, ...part }).lastProblem, undefined);
});

test('a link stays verified while its value is unchanged, and clients cannot set the verification', () => {
  const [url, other] = ['https://example.org/', 'https://example.com/'];
  const set = (...values: string[]) => ({
    ...none,
    setFields: true,
    fields: values.map((value) => ({ name: 'site', value, verifiedAtMs: 1 })),
  });
  const shown = (alice: ReturnType<typeof newcomer>) => alice.state.profile.fields.map((field) => field.verifiedAtMs);
  const alice = newcomer().when('updateProfile', set(url, 'plain'));
  assert.deepEqual(shown(alice), [undefined, undefined]);
  assert.deepEqual(shown(alice.when('verifyLink', { value: 'plain' })), [undefined, undefined]);
  const verified = alice.when('verifyLink', { value: url }, { nowMs: 7 }).when('verifyLink', { value: url });
  assert.deepEqual(shown(verified), [7, undefined]);
  assert.equal(verified.when('updateProfile', set('plain', url)).events.length, verified.events.length + 1);
  assert.deepEqual(shown(verified), [undefined, 7], 'the field may move');
  assert.deepEqual(shown(verified.when('updateProfile', set(other))), [undefined]);
  assert.deepEqual(shown(verified.when('updateProfile', set(url))), [undefined], 'the value was removed meanwhile');
});

test('saving an unverified link again starts another verification', () => {
  const fields = [{ name: 'site', value: 'https://example.org/' }];
  const alice = newcomer().when('updateProfile', { ...none, setFields: true, fields });
  const again = alice.when('updateProfile', { ...none, setFields: true, fields });
  assert.equal(again.events.length, 2);
  assert.equal(again.when('updateProfile', { ...none, displayName: '' }).events.length, 2);
});

test('mentioned accounts are stored as long as the profile mentions them, up to a limit', () => {
  const known = (username: string) => ({
    accountId: username,
    username,
    acct: username,
    url: `https://x/@${username}`,
  });
  const mentions = { mentions: ['Bob', 'carol'].map(known) };
  const field = { name: 'n', value: '@carol@here.example' };
  const named = newcomer().when('updateProfile', { note: '@bob', fields: [field], setFields: true, mentions });
  assert.deepEqual(named.state.profile.mentions, mentions);
  const kept = named.when('updateProfile', { ...none, displayName: 'x' }).when('updateProfile', { ...none, note: '' });
  assert.deepEqual(kept.state.profile.mentions, { mentions: [known('carol')] });
  const left = kept.when('updateProfile', { fields: [], setFields: true });
  assert.equal(left.state.profile.mentions, undefined);
  const many = Array.from({ length: PROFILE_MENTIONS_MAX + 1 }, (_, n) => `u${n}`);
  const note = many.map((name) => `@${name}`).join(' ');
  const full = newcomer().when('updateProfile', { ...none, note, mentions: { mentions: many.map(known) } });
  assert.equal(full.state.profile.mentions?.mentions.length, PROFILE_MENTIONS_MAX);
});
