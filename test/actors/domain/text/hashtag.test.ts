import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HASHTAG_BYTES_MAX,
  HASHTAG_WRITTEN_MAX,
  hashtagName,
  indexedTags,
  namedHashtag,
} from '../../../../actors/domain/text/hashtag.js';
import { readText } from '../../../../actors/domain/text/plain-text.js';

test('a hashtag has one name, whatever the width, case or accents of its letters', () => {
  for (const written of ['Café', 'CAFE', 'ｃａｆé', 'cafe\u0301']) assert.equal(hashtagName(written), 'cafe');
  assert.equal(hashtagName('Łódź'), 'lodz');
  assert.equal(hashtagName('が'), 'が', 'other scripts keep their marks');
  assert.equal(hashtagName('हिन्दी'), 'हिन्दी');
});

test('a hashtag is named with or without its sign, and numbers and texts with spaces are none', () => {
  assert.equal(namedHashtag('#Birds'), 'birds');
  assert.equal(namedHashtag('＃鳥'), '鳥');
  assert.equal(namedHashtag('web_2'), 'web_2');
  for (const text of ['', '#', '2026', 'a b', 'a#b', '##a', 'a/b', ':name', 'a-b'])
    assert.equal(namedHashtag(text), undefined);
});

test('a name that does not fit a key is no hashtag, also in texts', () => {
  const fits = 'x'.repeat(HASHTAG_BYTES_MAX);
  assert.equal(namedHashtag(fits), fits);
  assert.equal(namedHashtag(`${fits}x`), undefined);
  assert.equal(namedHashtag('ﷺ'.repeat(50)), undefined, 'normalisation lengthens it');
  assert.deepEqual(readText(`#${fits}x #ok`).tags, ['ok']);
  const marked = (marks: number) => `a${'\u0301'.repeat(marks)}`;
  assert.equal(namedHashtag(marked(HASHTAG_WRITTEN_MAX - 1)), 'a');
  assert.equal(namedHashtag(marked(HASHTAG_WRITTEN_MAX)), undefined, 'a longer text is not normalised');
});

test('only public statuses that are no reblogs are indexed by hashtag, up to a limit', () => {
  const tags = Array.from({ length: 200 }, (_, n) => `t${n}`);
  assert.equal(indexedTags({ visibility: 'public', tags }).length, 60);
  for (const visibility of ['unlisted', 'private', 'direct']) assert.deepEqual(indexedTags({ visibility, tags }), []);
  assert.deepEqual(indexedTags({ visibility: 'public', tags, reblogOfId: '1' }), []);
});
