import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PUSH_ALERTS } from '../../../actors/account/push.js';
import { payloadOf, topicOf } from '../../../actors/push/payload.js';
import { pushRule } from '../../../actors/push/urgency.js';
import { alertOf } from './alert.js';

test('a topic is stable, differs by subscription and notification, and fits RFC 8030', () => {
  const topic = topicOf('1', '2');
  assert.match(topic, /^[\w-]{32}$/);
  assert.equal(topicOf('1', '2'), topic);
  assert.equal(new Set([topic, topicOf('1', '3'), topicOf('2', '2'), topicOf('12', '')]).size, 4);
});

test('a payload has the fields that clients expect', () => {
  const alert = alertOf({ title: 'Ben mentioned you', body: 'hello' });
  const text = payloadOf(alert, '117668736756400257', 'mention', 200);
  assert.match(text, /"notification_id":117668736756400257[,}]/, 'a number, as native clients demand, in full');
  assert.deepEqual(JSON.parse(payloadOf(alert, '42', 'mention', 200)), {
    access_token: 'token',
    preferred_locale: 'en',
    notification_id: 42,
    notification_type: 'mention',
    icon: 'https://here.example/avatar.png',
    title: 'Ben mentioned you',
    body: 'hello',
  });
});

test('a long body ends with an ellipsis and never within a character', () => {
  const body = (text: string, chars: number) => JSON.parse(payloadOf(alertOf({ body: text }), '1', 'poll', chars)).body;
  assert.equal(body('abcdef', 6), 'abcdef');
  assert.equal(body('abcdef', 5), 'abcd…');
  assert.equal(body('ab🙂🙂🙂', 4), 'ab…');
  assert.equal(body('abcdef', 0), '');
});

test('every type that a client can subscribe to has an urgency and a lifetime', () => {
  const urgencies = new Set(['low', 'normal', 'high']);
  for (const kind of [...PUSH_ALERTS, 'test']) {
    const { urgency, worthMs } = pushRule(kind);
    assert.ok(urgencies.has(urgency) && worthMs > 0, kind);
  }
  assert.deepEqual([pushRule('mention').urgency, pushRule('favourite').urgency], ['high', 'low']);
  assert.ok(pushRule('mention').worthMs > pushRule('favourite').worthMs);
});
