import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY_LIMITED } from '../../../gateway/viewing/account-limits.js';
import { ACCOUNT_PLACES, isWelcome, showsAccount } from '../../../gateway/viewing/judge-accounts.js';
import { Lens, NO_SOURCES } from '../../../gateway/viewing/lens.js';
import type { AccountSources, StoreAccountRecord } from '../../../proto/gen/types.js';

const VIEWER = '1';
const OTHER = '2';
const AWAY = 'away.example';
const clock = { nowMs: () => 1_000 };
const limits = NOBODY_LIMITED;
const screen = { filters: undefined, domains: new Set([AWAY]), languages: new Map(), size: 0 };
const lensWith = (sources: Partial<AccountSources>) =>
  new Lens(VIEWER, { ...NO_SOURCES, ...sources }, clock, limits, screen);
const other = (more: Partial<StoreAccountRecord> = {}) =>
  ({ id: OTHER, domain: '', confirmed: true, approved: true, ...more }) as StoreAccountRecord;

const mutes = (notifications: boolean) => ({ muted: [{ account: OTHER, untilMs: 0, notifications }] });
const follows = { following: [{ target: OTHER, edgeId: '1', notify: false, reblogs: true, pending: false, atMs: 0 }] };
const ALL = 'collection directory familiar page search sender';

test('each place hides the accounts that its row says, and no others', () => {
  const cases: Readonly<Record<string, [Partial<AccountSources>, Partial<StoreAccountRecord>, string]>> = {
    stranger: [{}, {}, ''],
    unconfirmed: [follows, { confirmed: false }, ALL],
    suspended: [follows, { suspendedAtMs: 1 }, ALL],
    blocked: [{ blocked: [OTHER] }, {}, 'collection directory familiar page sender'],
    'blocks the viewer': [{ blockedBy: [OTHER] }, {}, 'collection directory familiar page sender'],
    muted: [mutes(false), {}, 'directory familiar'],
    'muted with notifications': [mutes(true), {}, 'directory familiar sender'],
    'of a blocked server': [{}, { domain: AWAY }, 'collection directory search sender'],
    'followed, of a blocked server': [follows, { domain: AWAY }, ''],
  };
  for (const [title, [sources, record, hiddenIn]] of Object.entries(cases)) {
    const hidden = Object.entries(ACCOUNT_PLACES)
      .filter(([, at]) => !showsAccount(other(record), lensWith(sources), at))
      .map(([name]) => name);
    assert.equal(hidden.sort().join(' '), hiddenIn, title);
  }
});

test('notifications to moderators ignore the relation to their sender', () => {
  for (const sources of [{ blocked: [OTHER] }, { blockedBy: [OTHER] }, mutes(true)]) {
    const lens = lensWith(sources);
    assert.equal(isWelcome({ type: 'favourite', from: OTHER }, lens), false);
    assert.equal(isWelcome({ type: 'admin.report', from: OTHER }, lens), true);
  }
  assert.equal(isWelcome({ type: 'favourite', from: OTHER }, lensWith(mutes(false))), true);
});
