import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEATURED_TAGS_MAX, TAGS_REMEMBERED_MAX } from '../../../actors/account/featured-tags.js';
import type { AccountFeaturedTags } from '../../../proto/gen/types.js';
import { blankPost } from '../reactions/town.js';
import { newcomer, startMs } from './newcomer.js';

type Alice = ReturnType<typeof newcomer>;
const says = (alice: Alice, tags: readonly string[], nowMs = startMs, visibility = 'public') =>
  alice.when('post', { ...blankPost, tags, visibility }, { nowMs });
const asked = (alice: Alice) => alice.when('featuredTags', {}).reply as unknown as AccountFeaturedTags;

test('a hashtag is featured once, and removed by its id', () => {
  const alice = newcomer().when('featureTag', { name: 'birds' }).when('featureTag', { name: 'birds' });
  assert.equal(alice.events.length, 1);
  const [tag] = asked(alice).featured;
  assert.deepEqual([tag?.name, tag?.uses, tag?.lastAtMs], ['birds', 0, 0]);
  const off = alice.when('unfeatureTag', { id: tag?.id ?? '' });
  assert.equal(off.state.featuredTags.size, 0);
  assert.equal(off.when('unfeatureTag', { id: tag?.id ?? '' }).lastProblem?.problem, 'not_found');
});

test('the number of featured hashtags is bounded', () => {
  let alice = newcomer();
  for (let n = 0; n < FEATURED_TAGS_MAX; n++) alice = alice.when('featureTag', { name: `tag${n}` });
  assert.equal(alice.when('featureTag', { name: 'more' }).lastProblem?.problem, 'limit_reached');
});

test('featured hashtags are ordered by last use, count public uses only, and other used ones are suggested', () => {
  let alice = newcomer().when('featureTag', { name: 'birds' }).when('featureTag', { name: 'cats' });
  alice = says(alice, ['cats', 'dogs'], startMs + 1);
  alice = says(alice, ['birds', 'birds2'], startMs + 2);
  alice = says(alice, ['cats', 'secret'], startMs + 3, 'private');
  const { featured, others } = asked(alice);
  assert.deepEqual(
    featured.map(({ name, uses, lastAtMs }) => [name, uses, lastAtMs - startMs]),
    [
      ['birds', 1, 2],
      ['cats', 1, 1],
    ],
  );
  assert.deepEqual(
    others.map(({ name }) => name),
    ['secret', 'birds2', 'dogs'],
  );
});

test('a deleted status is no longer counted', () => {
  const alice = says(newcomer().when('featureTag', { name: 'birds' }), ['birds']);
  const gone = alice.when('countStatus', { id: '1', delta: -1, atMs: startMs, tags: ['birds'] });
  const [tag] = asked(gone).featured;
  assert.deepEqual([tag?.uses, tag?.lastAtMs], [0, 0]);
});

test('only featured hashtags stay stored when they were used long ago', () => {
  let alice = says(newcomer().when('featureTag', { name: 'first' }), ['first', 'second']);
  for (let n = 0; n < TAGS_REMEMBERED_MAX + FEATURED_TAGS_MAX; n++) alice = says(alice, [`tag${n}`]);
  const { tagUses } = alice.state;
  assert.deepEqual([tagUses.has('first'), tagUses.has('second')], [true, false]);
  assert.ok(tagUses.size <= TAGS_REMEMBERED_MAX + FEATURED_TAGS_MAX);
});
