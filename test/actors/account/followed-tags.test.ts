import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOLLOWED_TAGS_MAX } from '../../../actors/account/followed-tags.js';
import { newcomer } from './newcomer.js';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test('a hashtag is followed and unfollowed once, and each changes the version of the relations', () => {
  const alice = newcomer();
  const { relationsVersion } = alice.state;
  const done = alice
    .when('followTag', { name: 'birds' })
    .when('followTag', { name: 'birds' })
    .when('unfollowTag', { name: 'birds' })
    .when('unfollowTag', { name: 'birds' });
  assert.deepEqual(types(done.events), ['tagFollowed', 'tagUnfollowed']);
  assert.equal(alice.state.relationsVersion, relationsVersion + 2);
});

test('sources and pages contain followed hashtags, the latest first', () => {
  const alice = newcomer()
    .when('followTag', { name: 'a' })
    .when('followTag', { name: 'b' })
    .when('followTag', { name: 'c' });
  const { reply: sources } = alice.when('sources', {});
  assert.ok(sources !== undefined && 'tags' in sources);
  assert.deepEqual(sources.tags, ['a', 'b', 'c']);
  const page = alice.when('followedTags', { upwards: false, limit: 2 }).reply as unknown as {
    tags: { name: string; edgeId: string }[];
    more: boolean;
  };
  assert.deepEqual([page.tags.map(({ name }) => name), page.more], [['c', 'b'], true]);
  const rest = alice.when('followedTags', { before: page.tags[1]?.edgeId, upwards: false, limit: 2 }).reply;
  assert.deepEqual(
    (rest as unknown as typeof page).tags.map(({ name }) => name),
    ['a'],
  );
});

test('too many hashtags are refused', () => {
  const full = newcomer(({ followedTags }) => {
    for (let n = 0; n < FOLLOWED_TAGS_MAX; n++) followedTags.set(`t${n}`, `${n}`);
  });
  assert.equal(full.when('followTag', { name: 'one_more' }).lastProblem?.problem, 'limit_reached');
  assert.equal(full.when('followTag', { name: 't1' }).lastProblem, undefined);
});
