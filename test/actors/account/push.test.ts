import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PUSHES_MAX } from '../../../actors/account/push.js';
import { newcomer } from './newcomer.js';

const token = (tokenHash: string) => ({ tokenHash, clientId: 'app', scopes: ['push'], kind: 'access' });
const place = (tokenHash: string, more: object = {}) => ({
  ...{ tokenHash, endpoint: 'https://push.example/1', p256dh: 'p', auth: 'a' },
  ...{ standard: true, alerts: ['mention'], policy: 'all', ...more },
});

test('each token has one push subscription, which a second one replaces', () => {
  const alice = newcomer().when('issueToken', token('one')).when('issueToken', token('two'));
  alice.when('subscribePush', place('one')).when('subscribePush', place('two', { policy: 'none' }));
  alice.when('subscribePush', place('one', { endpoint: 'https://push.example/2' }));
  assert.equal(alice.state.pushes.size, 2);
  assert.equal(alice.state.pushes.get('one')?.endpoint, 'https://push.example/2');
  assert.equal(alice.state.pushes.get('two')?.policy, 'none');
});

test('omitted fields stay, and an unchanged subscription is not recorded', () => {
  const alice = newcomer().when('issueToken', token('one')).when('subscribePush', place('one'));
  const change = (alerts: string[], withAlerts: boolean, policy: string) =>
    alice.when('changePush', { tokenHash: 'one', alerts, withAlerts, policy }).state.pushes.get('one');
  const events = alice.events.length;
  assert.deepEqual(change([], false, '')?.alerts, ['mention']);
  assert.equal(alice.events.length, events);
  assert.deepEqual(change([], false, 'followed')?.policy, 'followed');
  assert.deepEqual(change(['poll'], true, '')?.alerts, ['poll']);
  assert.equal(alice.state.pushes.get('one')?.policy, 'followed');
  assert.deepEqual(change([], true, '')?.alerts, []);
});

test('changing a missing subscription is refused, and removing it again is no error', () => {
  const alice = newcomer().when('issueToken', token('one'));
  const of = { tokenHash: 'one' };
  assert.equal(alice.when('pushSubscription', of).lastProblem?.problem, 'not_found');
  assert.equal(
    alice.when('changePush', { ...of, alerts: [], withAlerts: false, policy: 'all' }).lastProblem?.problem,
    'not_found',
  );
  assert.equal(alice.when('subscribePush', place('nobody’s')).lastProblem?.problem, 'not_found');
  const events = alice.events.length;
  alice.when('unsubscribePush', of);
  assert.equal(alice.events.length, events);
  alice.when('subscribePush', place('one')).when('unsubscribePush', of);
  assert.equal(alice.state.pushes.size, 0);
});

test('revoking a token removes its subscription', () => {
  const alice = newcomer().when('issueToken', token('one')).when('issueToken', token('two'));
  alice.when('subscribePush', place('one')).when('revokeToken', { tokenHash: 'one' });
  alice.when('subscribePush', place('two'));
  assert.deepEqual([...alice.state.pushes.keys()], ['two']);
});

test('a subscription beyond the maximum ends the one that was unchanged for longest', () => {
  const alice = newcomer();
  const names = Array.from({ length: PUSHES_MAX + 1 }, (_, index) => `token ${index}`);
  for (const name of names) alice.when('issueToken', token(name));
  for (const name of names.slice(0, -1)) alice.when('subscribePush', place(name));
  // Neither a repetition nor a change ends another one.
  alice.when('subscribePush', place('token 0'));
  alice.when('changePush', { tokenHash: 'token 1', alerts: ['poll'], withAlerts: true, policy: '' });
  assert.equal(alice.state.pushes.size, PUSHES_MAX);
  alice.when('subscribePush', place(`token ${PUSHES_MAX}`));
  assert.equal(alice.state.pushes.size, PUSHES_MAX);
  assert.deepEqual(
    names.filter((name) => !alice.state.pushes.has(name)),
    ['token 2'],
  );
});
