import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MUTES_MAX } from '../../../actors/account/mute.js';
import { newcomer, other, self, startMs } from './newcomer.js';

const forGood = { target: other, notifications: true, durationMs: 0 };
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test('a mute is recorded once, and again when its options change', () => {
  const alice = newcomer().when('mute', forGood).when('mute', forGood);
  assert.deepEqual(types(alice.events), ['muted']);
  const changed = alice.when('mute', { ...forGood, notifications: false });
  assert.deepEqual(types(changed.events), ['muted', 'muted']);
  const [first, second] = changed.events as unknown as { edgeId: string }[];
  assert.equal(first?.edgeId, second?.edgeId, 'the mute keeps its place in the list');
});

test('a mute with a duration expires for relations, lists and notifications', () => {
  const alice = newcomer().when('mute', { ...forGood, durationMs: 60_000 });
  const reply = (nowMs: number) => {
    const relations = alice.when('relations', { targets: [other] }, { nowMs }).reply as unknown as {
      relations: { muting: boolean; mutingNotifications: boolean; mutingUntilMs: number }[];
    };
    return relations.relations[0];
  };
  const notice = { type: 'mention', from: other, statusId: '7' };
  const page = { upwards: false, limit: 10 };
  const before = reply(startMs + 59_999);
  assert.deepEqual(
    [before?.muting, before?.mutingNotifications, before?.mutingUntilMs],
    [true, true, startMs + 60_000],
  );
  assert.deepEqual(types(alice.when('notify', notice, { nowMs: startMs + 59_999 }).events), ['muted']);
  const after = reply(startMs + 60_000);
  assert.deepEqual([after?.muting, after?.mutingNotifications, after?.mutingUntilMs], [false, false, 0]);
  const mutes = alice.when('mutes', page, { nowMs: startMs + 60_000 }).reply as unknown as { edges: object[] };
  assert.deepEqual(mutes.edges, []);
  assert.deepEqual(types(alice.when('notify', notice, { nowMs: startMs + 60_000 }).events), ['muted', 'notified']);
});

test('a mute without notifications lets them through', () => {
  const alice = newcomer().when('mute', { ...forGood, notifications: false });
  assert.deepEqual(types(alice.when('notify', { type: 'follow', from: other }).events), ['muted', 'notified']);
});

test('an unmute is recorded once', () => {
  const alice = newcomer().when('mute', forGood).when('unmute', { target: other }).when('unmute', { target: other });
  assert.deepEqual(types(alice.events), ['muted', 'unmuted']);
  assert.equal(alice.state.muting.size, 0);
});

test('muting oneself or too many is refused, and expired mutes do not count', () => {
  assert.equal(newcomer().when('mute', { ...forGood, target: self }).lastProblem?.problem, 'forbidden');
  const full = (untilMs: number) =>
    newcomer(({ muting }) => {
      for (let n = 0; n < MUTES_MAX; n++) muting.set(`${n}`, { edgeId: `${n}`, notifications: true, untilMs });
    }).when('mute', forGood);
  assert.equal(full(0).lastProblem?.problem, 'limit_reached');
  const ended = full(startMs - 1);
  assert.deepEqual([ended.lastProblem, ended.state.muting.size], [undefined, 1]);
});

test('sources contain muted accounts and the ends of their mutes', () => {
  const { reply } = newcomer()
    .when('mute', { ...forGood, durationMs: 5 })
    .when('sources', {});
  assert.ok(reply !== undefined && 'muted' in reply);
  assert.deepEqual(reply.muted, [{ account: other, untilMs: startMs + 5, notifications: true }]);
});
