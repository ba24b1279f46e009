import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Filters, isDropped } from '../../../gateway/viewing/filters.js';
import type { AccountFilter, StoreStatusRecord } from '../../../proto/gen/types.js';
import { assertAsFast } from '../../kit/time/proportion.js';

const nowMs = 1_767_225_600_000;
const clock = { nowMs: () => nowMs };
const filter = (keywords: readonly [string, boolean][], more: Partial<AccountFilter> = {}): AccountFilter => ({
  id: '1',
  title: 'one',
  context: ['home'],
  action: 'warn',
  expiresAtMs: 0,
  keywords: keywords.map(([keyword, wholeWord], index) => ({ id: `${index}`, keyword, wholeWord })),
  statuses: [],
  ...more,
});
const status = (text: string, spoilerText = '') => ({ id: '5', text, spoilerText }) as StoreStatusRecord;
const finds = (keyword: string, wholeWord: boolean, text: string) =>
  new Filters([filter([[keyword, wholeWord]])], clock).matches(status(text), 'home').length > 0;

test('a keyword is found in any case and within words, or as a whole word only', () => {
  for (const [keyword, text, within, whole] of [
    ['cat', 'A CAT!', true, true],
    ['cat', 'concatenate', true, false],
    ['cat', 'cats', true, false],
    ['cat', 'cat_', true, false],
    ['#cat', 'see #Cat.', true, true],
    ['cat', 'see #cat', true, true],
    ['c++', 'C++ is', true, true],
    ['c++', 'c+++', true, true],
    ['a.c', 'abc', false, false],
    ['été', 'L’ÉTÉ dernier', true, true],
    ['été', 'étés', true, false],
    ['e\u0301te\u0301', 'l’été', true, true],
    ['strasse', 'STRASSENBAHN', true, false],
    ['мир', 'МИРУ', true, false],
    ['мир', 'миру мир', true, true],
    ['猫', '猫が', true, false],
    ['नम', 'नमः', true, false],
    ['🐈', 'x🐈x', true, true],
    ['aab', 'aaab', true, false],
    ['abab', 'xabab abab', true, true],
    ['ΟΔΟΣ', 'οδος', true, true],
    ['two words', 'TWO words', true, true],
  ] as const) {
    assert.equal(finds(keyword, false, text), within, `${keyword} in ${text}`);
    assert.equal(finds(keyword, true, text), whole, `${keyword} as a word in ${text}`);
  }
});

test('warnings are searched, too, and every matching keyword is listed', () => {
  const filters = new Filters(
    [
      filter([
        ['cat', true],
        ['dog', false],
        ['cow', true],
      ]),
    ],
    clock,
  );
  const [match] = filters.matches(status('my dogs', 'Cat'), 'home');
  assert.deepEqual(match?.keywords, ['cat', 'dog']);
});

test('media descriptions and poll options are searched, too', () => {
  const filters = new Filters([filter([['cat', true]])], clock);
  const media = { media: [{ description: 'a cat' }] };
  const poll = { options: [{ title: 'Cat' }, { title: 'dog' }] };
  for (const more of [{ media }, { poll }])
    assert.equal(filters.matches({ ...status('look'), ...more } as unknown as StoreStatusRecord, 'home').length, 1);
});

test('a filter applies in its contexts, until it expires', () => {
  const at = (more: Partial<AccountFilter>, context?: 'home' | 'public') =>
    new Filters([filter([['cat', true]], more)], clock).matches(status('cat'), context).length;
  assert.deepEqual([at({}, 'home'), at({}, 'public'), at({})], [1, 0, 1]);
  assert.deepEqual([at({ expiresAtMs: nowMs + 1 }, 'home'), at({ expiresAtMs: nowMs }, 'home')], [1, 0]);
});

test('matches are computed again after a filter has expired, and for a changed status', () => {
  let atMs = nowMs;
  const rules = [
    filter([['cat', true]], { id: '1', expiresAtMs: nowMs + 10 }),
    filter([['cat', true]], { id: '2', expiresAtMs: nowMs + 20 }),
  ];
  const filters = new Filters(rules, { nowMs: () => atMs });
  const one = status('a cat');
  const ids = (of = one) => filters.matches(of, 'home').map((match) => match.filter.id);
  const seen: string[][] = [];
  for (const later of [0, 9, 10, 10, 20]) {
    atMs = nowMs + later;
    seen.push(ids());
  }
  assert.deepEqual(seen, [['1', '2'], ['1', '2'], ['2'], ['2'], []]);
  atMs = nowMs;
  assert.deepEqual(ids(status('a dog')), []);
});

test('matches are correct for more statuses than the cache holds', () => {
  const filters = new Filters([filter([['cat', true]])], clock);
  const many = Array.from({ length: 600 }, (_, index) => status(index % 3 === 0 ? 'cat' : 'dog'));
  for (let round = 0; round < 2; round++)
    for (const [index, one] of many.entries())
      assert.equal(filters.matches(one, 'home').length, index % 3 === 0 ? 1 : 0);
});

test('a status that a filter names matches, whatever its text', () => {
  const statuses = [{ id: '1', statusId: '5' }];
  const [match] = new Filters([filter([], { statuses })], clock).matches(status('nothing'), 'home');
  assert.deepEqual([match?.keywords, match?.statuses], [[], ['5']]);
});

test('a hiding filter drops statuses from home and notifications, and only marks them elsewhere', () => {
  const matches = new Filters([filter([['cat', true]], { action: 'hide' })], clock).matches(status('cat'), undefined);
  assert.deepEqual(
    (['home', 'notifications', 'public', 'thread', 'account', undefined] as const).map((one) =>
      isDropped(matches, one),
    ),
    [true, true, false, false, false, false],
  );
});

test('the longest keywords take as long as short ones, in the longest text', () => {
  const looking = (keyword: string, text: string) => {
    const keywords = Array.from({ length: 300 }, (_, n): [string, boolean] => [keyword, n % 2 === 0]);
    const rules = [filter(keywords)];
    // Matches are cached, so each check uses another status.
    const filters = new Filters(rules, clock);
    return () => assert.deepEqual(filters.matches(status(text), 'home'), []);
  };
  for (const make of [
    (chars: number) => `${'a'.repeat(chars)}b`,
    (chars: number) => `b${'a'.repeat(chars)}`,
    (chars: number) => `${'ab'.repeat(chars / 2)}b`,
  ])
    for (const text of ['a'.repeat(5_000), 'ab'.repeat(2_500)])
      assertAsFast(looking(make(500), text), looking(make(500 / 16), text), `${make(500)} in ${text.slice(0, 3)}`);
});
