import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOMAIN_BLOCKS_MAX } from '../../../actors/account/domain-blocks.js';
import {
  FILTER_CONTEXTS,
  FILTER_KEYWORD_CHARS_MAX,
  FILTER_KEYWORDS_MAX,
  FILTER_TITLE_CHARS_MAX,
  FILTERED_STATUSES_MAX,
  FILTERS_MAX,
} from '../../../actors/account/filters.js';
import {
  FOLLOW_LANGUAGE_CHARS_MAX,
  FOLLOW_LANGUAGES_MAX,
  FOLLOWS_WITH_LANGUAGES_MAX,
} from '../../../actors/account/follow.js';
import { makeId } from '../../../actors/domain/ids.js';
import { DOMAIN_CHARS_MAX } from '../../../actors/domain/servers/domain-name.js';
import { accountSlice } from '../../../actors/kinds/account.js';
import { codec } from '../../../proto/codec.js';
import type { AccountFilter, AccountFilterKeyword } from '../../../proto/gen/types.js';
import { PAYLOAD_BYTES_MAX } from '../../../transport/bus.js';
import { given } from '../../kit/actors/given.js';
import { newcomer, startMs } from './newcomer.js';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const wanted = (keyword: string) => ({
  title: 'no cats',
  context: ['home', 'public'],
  keywords: [{ keyword, wholeWord: true, destroy: false }],
});
const phrase = (text: string) => ({ phrase: text, context: ['home'], irreversible: true, wholeWord: false });
const replied = (given: { readonly reply: unknown }) => given.reply as AccountFilter;
const word = (given: { readonly reply: unknown }) => given.reply as AccountFilterKeyword;
const only = (state: { readonly filters: ReadonlyMap<string, AccountFilter> }) => [...state.filters.values()][0];

test('a filter is created with its keywords, and saving it unchanged records nothing', () => {
  const made = newcomer().when('saveFilter', wanted('cat'));
  const { id, title, context, action, expiresAtMs, keywords } = replied(made);
  assert.deepEqual([title, context, action, expiresAtMs], ['no cats', ['home', 'public'], 'warn', 0]);
  assert.deepEqual(
    keywords.map((one) => [one.keyword, one.wholeWord]),
    [['cat', true]],
  );
  const again = made.when('saveFilter', { id, title, context, keywords: [] });
  assert.deepEqual(types(again.events), ['filterSaved']);
  assert.deepEqual(only(again.state), replied(made));
});

test('a change keeps other fields, and keywords are changed, added and removed by id', () => {
  const made = newcomer().when('saveFilter', { ...wanted('cat'), expiresInMs: 60_000 });
  const { id, keywords } = replied(made);
  assert.equal(replied(made).expiresAtMs, startMs + 60_000);
  const [cat] = keywords;
  const changed = made.when('saveFilter', {
    id,
    context: [],
    action: 'hide',
    expiresInMs: -1,
    keywords: [
      { id: cat?.id, destroy: true },
      { keyword: ' dog ', destroy: false },
    ],
  });
  const { title, action, expiresAtMs } = replied(changed);
  assert.deepEqual([title, action, expiresAtMs], ['no cats', 'hide', 0]);
  assert.deepEqual(
    replied(changed).keywords.map((one) => one.keyword),
    ['dog'],
  );
  assert.equal(
    made.when('saveFilter', { id, context: [], keywords: [{ id: '9', destroy: true }] }).lastProblem?.problem,
    'not_found',
  );
});

test('a blank or too long text and an unknown context are refused', () => {
  const refused = [
    { ...wanted('cat'), title: ' ' },
    { ...wanted('cat'), title: 'x'.repeat(257) },
    { ...wanted('cat'), context: [] },
    { ...wanted('cat'), context: ['home', 'elsewhere'] },
    { ...wanted('cat'), action: 'explode' },
    wanted(' '),
    wanted('x'.repeat(513)),
  ];
  for (const command of refused) {
    const alice = newcomer().when('saveFilter', command);
    assert.deepEqual([alice.lastProblem?.problem, alice.events], ['invalid', []], JSON.stringify(command).slice(0, 80));
  }
  for (const command of ['removeFilter', 'removeFilteredStatus'] as const)
    assert.equal(newcomer().when(command, { id: '7' }).lastProblem?.problem, 'not_found');
});

test('the numbers of filters, keywords and filtered statuses are bounded', () => {
  let alice = newcomer();
  for (let n = 0; n < FILTERS_MAX; n++) alice = alice.when('saveFilter', { ...wanted('cat'), keywords: [] });
  assert.equal(alice.when('saveFilter', wanted('cat')).lastProblem?.problem, 'limit_reached');
  const { id = '' } = only(alice.state) ?? {};
  const keywords = Array.from({ length: FILTER_KEYWORDS_MAX }, (_, n) => ({ keyword: `w${n}`, destroy: false }));
  alice = alice.when('saveFilter', { id, context: [], keywords });
  assert.equal(alice.lastProblem, undefined);
  const other = [...alice.state.filters.keys()][1] ?? '';
  assert.equal(alice.when('saveKeyword', { filterId: other, keyword: 'x' }).lastProblem?.problem, 'limit_reached');
  for (let n = 0; n < FILTERED_STATUSES_MAX; n++)
    alice = alice.when('addFilteredStatus', { filterId: other, statusId: `${n}` });
  assert.equal(alice.lastProblem, undefined);
  const more = alice.when('addFilteredStatus', { filterId: id, statusId: 'x' });
  assert.equal(more.lastProblem?.problem, 'limit_reached');
});

test('version 1 of the API shows each keyword as a filter', () => {
  const made = newcomer().when('savePhrase', phrase('cat'));
  const filter = only(made.state);
  assert.deepEqual([filter?.title, filter?.action, filter?.context], ['cat', 'hide', ['home']]);
  const changed = made.when('savePhrase', {
    id: word(made).id,
    phrase: 'dog',
    context: ['public'],
    irreversible: false,
  });
  assert.deepEqual(word(changed), { id: word(made).id, keyword: 'dog', wholeWord: false });
  assert.deepEqual([only(made.state)?.action, only(made.state)?.context], ['warn', ['public']]);
  const gone = changed.when('removeKeyword', { id: word(made).id, lastTakesFilter: true });
  assert.deepEqual([types(gone.events).at(-1), gone.state.filters.size], ['filterRemoved', 0]);
});

test('version 1 of the API does not change the rules of other keywords', () => {
  const made = newcomer().when('savePhrase', phrase('cat'));
  const { id } = word(made);
  const two = made.when('saveKeyword', { filterId: only(made.state)?.id, keyword: 'dog' });
  assert.equal(two.when('savePhrase', { ...phrase('cat'), id, context: ['public'] }).lastProblem?.problem, 'invalid');
  const renamed = two.when('savePhrase', { ...phrase('cats'), id });
  assert.equal(word(renamed).keyword, 'cats');
  const less = renamed.when('removeKeyword', { id, lastTakesFilter: true });
  assert.deepEqual(
    only(less.state)?.keywords.map((one) => one.keyword),
    ['dog'],
  );
});

test('a status is added to a filter once, and can be removed', () => {
  const made = newcomer().when('saveFilter', wanted('cat'));
  const command = { filterId: replied(made).id, statusId: '77' };
  const named = made.when('addFilteredStatus', command);
  assert.equal(named.when('addFilteredStatus', command).lastProblem?.problem, 'invalid');
  const gone = named.when('removeFilteredStatus', { id: (named.reply as unknown as { id: string }).id });
  assert.deepEqual(only(gone.state)?.statuses, []);
});

test('a filter changes the version of the relations, which say that there are filters', () => {
  const alice = newcomer();
  const sources = () => alice.when('sources', {}).reply as unknown as { screened: boolean };
  const before = alice.state.relationsVersion;
  assert.equal(sources().screened, false);
  const made = alice.when('saveFilter', wanted('cat'));
  assert.deepEqual([sources().screened, alice.state.relationsVersion], [true, before + 1]);
  made.when('removeFilter', { id: replied(made).id });
  assert.deepEqual([sources().screened, alice.state.relationsVersion], [false, before + 2]);
});

test('filters, blocked domains and languages of an account at all limits fit one message', () => {
  const wide = '猫';
  const { state } = newcomer(({ filters, blockedDomains, following }) => {
    for (let n = 0; n < FILTERS_MAX; n++) {
      const id = makeId(startMs, 5, n % 64);
      const keywords = Array.from({ length: n === 0 ? FILTER_KEYWORDS_MAX : 0 }, () => ({
        id,
        keyword: wide.repeat(FILTER_KEYWORD_CHARS_MAX),
        wholeWord: true,
      }));
      const statuses = Array.from({ length: n === 0 ? FILTERED_STATUSES_MAX : 0 }, () => ({ id, statusId: id }));
      const title = wide.repeat(FILTER_TITLE_CHARS_MAX);
      const rules = { title, context: [...FILTER_CONTEXTS], action: 'warn', expiresAtMs: startMs };
      filters.set(`${n}`, { id, ...rules, keywords, statuses });
    }
    for (let n = 0; n < DOMAIN_BLOCKS_MAX; n++) blockedDomains.set(String(n).padStart(DOMAIN_CHARS_MAX, 'x'), '1');
    const languages = Array.from({ length: FOLLOW_LANGUAGES_MAX }, () => 'x'.repeat(FOLLOW_LANGUAGE_CHARS_MAX));
    for (let n = 0; n < FOLLOWS_WITH_LANGUAGES_MAX; n++) {
      const target = makeId(startMs + n, 1, 0);
      const edge = { target, edgeId: '1', pending: false, reblogs: true, notify: false, atMs: 0 };
      following.set(target, { ...edge, limit: { languages } });
    }
  });
  const { reply } = given(accountSlice, state).when('screen', {});
  const bytes = codec('murmuration.account.Screen').encode(reply as never);
  assert.ok(bytes.length < PAYLOAD_BYTES_MAX, `${bytes.length} bytes`);
});
