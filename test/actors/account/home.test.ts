import assert from 'node:assert/strict';
import { test } from 'node:test';
import { home } from '../../../actors/account/home.js';
import type { AccountState } from '../../../actors/account/slices.js';
import { initialAccount, relationEvents } from '../../../actors/account/slices.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { type HomeIds, NO_RING } from '../../../actors/timelines/ring-part.js';
import { newcomer, self } from './newcomer.js';

const newest = { knownVersion: 0, before: undefined, after: undefined, upwards: false, limit: 20 };

/** Returns rings that always give the same page, with the requests they received. */
function rings(part: HomeIds) {
  const asked: { viewer: string; authors: readonly string[] }[] = [];
  const versions: number[] = [];
  return {
    asked,
    versions,
    read: (_viewer: string, _bounds: object, version: number) => {
      versions.push(version);
      return part;
    },
    request: (viewer: string, authors: readonly string[]) => void asked.push({ viewer, authors }),
  };
}

const ctx = { self, nowMs: 1, newId: () => '', newActorId: () => '', seq: 1, settledSeq: 0, format: 1, row: undefined };

function ask(ring: ReturnType<typeof rings>, state: AccountState, input: typeof newest) {
  const decision = home(ring).decide.home(state, input, ctx);
  assert.ok(!isProblem(decision));
  assert.deepEqual(decision.events, []);
  return decision.reply;
}

test('a home has the relations unless the reader has their version', () => {
  const part: HomeIds = { ids: ['7', '5'], rest: 'ring', floor: '1' };
  const state = newcomer().state;
  const ring = rings(part);
  const first = ask(ring, state, newest);
  assert.deepEqual([first.ids, first.rest, first.floor], [['7', '5'], 'ring', '1']);
  assert.ok(first.sources);
  const { version } = first;
  const again = ask(ring, state, { ...newest, knownVersion: version });
  assert.equal(again.sources, undefined);
  assert.deepEqual(ring.versions, [version, version]);
  assert.deepEqual(ring.asked, []);
});

test('a viewer without a ring gets one for the followed accounts', () => {
  const ring = rings(NO_RING);
  const bob = '000000000000000077';
  const pending = '000000000000000078';
  const { state } = newcomer()
    .when('follow', { target: bob, targetLocked: false })
    .when('follow', { target: pending, targetLocked: true });
  assert.equal(ask(ring, state, newest).rest, 'none');
  assert.deepEqual(ring.asked, [{ viewer: self, authors: [bob] }]);
});

test('a read of the relations alone does not read the ring', () => {
  const ring = rings(NO_RING);
  ask(ring, newcomer().state, { ...newest, limit: 0 });
  assert.deepEqual([ring.asked, ring.versions], [[], []]);
});

test('each event of relations increases their version, and other events do not', () => {
  const before = newcomer();
  const version = before.state.relationsVersion;
  before.when('updateProfile', { fields: [], setFields: false, displayName: 'A' });
  assert.equal(before.state.relationsVersion, version);
  before.when('follow', { target: '000000000000000077', targetLocked: false });
  assert.equal(before.state.relationsVersion, version + 1);
  before.when('block', { target: '000000000000000077' });
  assert.equal(before.state.relationsVersion, version + 3, 'a block ends the follow, too');
  assert.ok(relationEvents.includes('followed'));
});

test('an unregistered account has no home', () => {
  const decision = home(rings(NO_RING)).decide.home(initialAccount(self), newest, ctx);
  assert.ok(isProblem(decision) && decision.problem === 'not_found');
});
