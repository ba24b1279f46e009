import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEATURED_ELSEWHERE_MAX } from '../../../actors/account/featured-elsewhere.js';
import { newcomer, other, self } from './newcomer.js';

type Told = ReturnType<typeof newcomer>;
const URI = 'https://far.example/collections/1';
const asked = { by: other, uri: URI, requestId: 'https://far.example/requests/1', follows: false };
const open = (change?: object) =>
  newcomer((state) => {
    state.profile = { ...state.profile, discoverable: true, ...change };
  });
/** Returns the id of the stamp in the last answer; undefined for a refusal. */
const stampOf = ({ events }: Told): string | undefined => {
  const last = events.at(-1) as unknown as { type: string; stampId?: string };
  assert.equal(last.type, 'featureAnswered');
  return last.stampId;
};

test('a request is answered by the policy, and a repeated one gets the same stamp', () => {
  const ann = open().when('requestFeature', asked);
  const id = stampOf(ann);
  assert.ok(id);
  assert.deepEqual(ann.when('featureStamp', { id }).reply, { uri: URI });
  assert.equal(stampOf(ann.when('requestFeature', { ...asked, requestId: 'again' })), id);
  assert.equal(stampOf(newcomer().when('requestFeature', asked)), undefined);
  assert.equal(stampOf(open({ locked: true }).when('requestFeature', asked)), undefined);
  assert.ok(stampOf(open({ locked: true }).when('requestFeature', { ...asked, follows: true })));
});

test('a block revokes the permission, and a later request is refused', () => {
  for (const [command, input] of [
    ['block', { target: other }],
    ['receiveBlock', { from: other, on: true }],
  ] as const) {
    const ann = open().when('requestFeature', asked);
    const id = stampOf(ann) ?? '';
    const blocking = ann.when(command, input as never);
    assert.ok((blocking.events as readonly { type: string }[]).some(({ type }) => type === 'featureRevoked'));
    assert.equal(blocking.when('featureStamp', { id }).lastProblem?.problem, 'not_found');
    assert.equal(blocking.when('requestFeature', asked).lastProblem?.problem, 'forbidden');
    const freed =
      command === 'block'
        ? blocking.when('unblock', { target: other })
        : blocking.when('receiveBlock', { from: other, on: false });
    assert.equal(stampOf(freed.when('requestFeature', asked)), undefined);
  }
});

test('nobody else asks for the collection of a permission, and the number of permissions is bounded', () => {
  const ann = open().when('requestFeature', asked);
  assert.equal(ann.when('requestFeature', { ...asked, by: self }).lastProblem?.problem, 'forbidden');
  assert.equal(stampOf(open().when('requestFeature', { ...asked, uri: `${URI}${'x'.repeat(600)}` })), undefined);
  const full = newcomer((state) => {
    state.profile = { ...state.profile, discoverable: true };
    for (let n = 0; n < FEATURED_ELSEWHERE_MAX; n++)
      state.featuredElsewhere.set(`${URI}${n}`, { id: `${n}`, by: other, revoked: false });
  });
  assert.equal(stampOf(full.when('requestFeature', asked)), undefined);
});
