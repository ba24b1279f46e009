import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CARD_MS,
  type Commands,
  type Events,
  FETCH_MS_MAX,
  initialLink,
  linkId,
  NOTHING_MS,
  type State,
  WAITING_MAX,
  webPage,
} from '../../../actors/web-page/web-page.js';
import type { LinkCard } from '../../../proto/gen/types.js';
import { given } from '../../kit/actors/given.js';

const startMs = 1_767_225_600_000;
const url = 'https://example.org/page';
const card = { url, title: 'A page' } as LinkCard;
const wantedBy = (statusId: string) => ({ url, by: { statusId, conversationId: statusId } });
const page = () => given<State, Commands, Events>(webPage, initialLink());
const fetches = (events: readonly object[]) => events.filter((event) => 'fetch' in event && event.fetch).length;

test('a page is fetched once for many requests, and all of them get the card', () => {
  const done = page().when('wantCard', wantedBy('1')).when('wantCard', wantedBy('2')).when('finishCard', { card });
  assert.equal(fetches(done.events), 1);
  const finished = done.events.at(-1) as unknown as { waiting: { statusId: string }[] };
  assert.deepEqual(
    finished.waiting.map(({ statusId }) => statusId),
    ['1', '2'],
  );
  const later = done.when('wantCard', wantedBy('3'), { nowMs: startMs + CARD_MS - 1 });
  assert.equal(fetches(later.events), 1, 'the stored card is valid');
  assert.equal(fetches(later.when('wantCard', wantedBy('4'), { nowMs: startMs + CARD_MS }).events), 2);
});

test('a page without a card is not fetched again for a while, and a lost fetch is repeated', () => {
  const nothing = page().when('wantCard', wantedBy('1')).when('finishCard', {});
  assert.equal(nothing.when('wantCard', wantedBy('2'), { nowMs: startMs + NOTHING_MS - 1 }).events.length, 2);
  assert.equal(fetches(nothing.when('wantCard', wantedBy('2'), { nowMs: startMs + NOTHING_MS }).events), 2);
  const lost = page().when('wantCard', wantedBy('1'));
  assert.equal(fetches(lost.when('wantCard', wantedBy('2'), { nowMs: startMs + FETCH_MS_MAX }).events), 2);
});

test('all statuses get a first card, even more than can wait by name', () => {
  const many = WAITING_MAX + 5;
  let at = page();
  for (let n = 1; n <= many; n++) at = at.when('wantCard', wantedBy(`${n}`));
  assert.deepEqual([at.events.length, at.state.waiting.length], [many, WAITING_MAX]);
  const last = () => at.events.at(-1) as unknown as { waiting: object[]; kept?: boolean };
  at = at.when('finishCard', { card });
  assert.equal(last().waiting.length, many);
  const later = { nowMs: startMs + CARD_MS };
  for (let n = 1; n <= many; n++) at = at.when('wantCard', wantedBy(`later ${n}`), later);
  at = at.when('finishCard', { card }, later);
  assert.deepEqual([last().waiting.length, at.state.waiting.length], [2 * many, 0], 'the card is kept, too');
  assert.equal(last().kept, undefined, 'statuses with rows get it');
});

test('all statuses that show a page get its new image, and the old image is removed', () => {
  const at = (days: number) => ({ nowMs: startMs + days * 86_400_000 });
  const first = page()
    .when('wantCard', wantedBy('1'))
    .when('finishCard', { card: { ...card, image: 'old.jpg' } });
  const renewed = first
    .when('wantCard', wantedBy('2'), at(1))
    .when('wantCard', wantedBy('3'), at(15))
    .when('finishCard', { card: { ...card, image: 'new.jpg', blurhash: 'new' } }, at(15));
  const finished = renewed.events.at(-1) as unknown as { waiting: { statusId: string }[]; replaced?: string };
  assert.deepEqual([finished.waiting.map(({ statusId }) => statusId), finished.replaced], [['1', '2', '3'], 'old.jpg']);
  const crowded = first;
  crowded.state.crowded = true;
  const again = crowded.when('wantCard', wantedBy('4'), at(30));
  const kept = again.when('finishCard', { card: { ...card, image: 'newest.jpg', blurhash: 'newest' } }, at(30));
  assert.equal((kept.events.at(-1) as { replaced?: string }).replaced, undefined, 'a status may still show it');
});

test('a page with the same content or none keeps its card, and only waiting statuses get it', () => {
  const known = { ...card, image: 'old.jpg', blurhash: 'abc' };
  const later = { nowMs: startMs + CARD_MS };
  const looked = () =>
    page().when('wantCard', wantedBy('1')).when('finishCard', { card: known }).when('wantCard', wantedBy('2'), later);
  const last = ({ events }: ReturnType<typeof looked>) =>
    events.at(-1) as unknown as { card?: LinkCard; kept?: boolean; replaced?: string; waiting: { statusId: string }[] };
  const same = looked().when('finishCard', { card: { ...known, image: 'again.jpg' } }, later);
  const { card: shown, kept, replaced, waiting } = last(same);
  assert.deepEqual([shown, kept, replaced, waiting.map(({ statusId }) => statusId)], [known, true, 'again.jpg', ['2']]);
  const next = (at: number) => ({ nowMs: later.nowMs + at });
  assert.equal(fetches(same.when('wantCard', wantedBy('3'), next(CARD_MS - 1)).events), 2);
  const nothing = looked().when('finishCard', {}, later);
  assert.deepEqual([last(nothing).card, last(nothing).replaced], [known, undefined]);
  assert.equal(fetches(nothing.when('wantCard', wantedBy('3'), next(NOTHING_MS - 1)).events), 2);
  assert.equal(
    fetches(nothing.when('wantCard', wantedBy('4'), next(NOTHING_MS)).events),
    3,
    'the page is fetched again soon',
  );
  for (const other of [
    { ...known, blurhash: 'xyz' },
    { ...known, image: '' },
    { ...known, title: 'New' },
  ]) {
    const changed = last(looked().when('finishCard', { card: other }, later));
    assert.deepEqual([changed.kept, changed.waiting.length], [undefined, 2], JSON.stringify(other));
  }
});

test('another address with the same id gets nothing, and an unrequested result is ignored', () => {
  const taken = page().when('wantCard', wantedBy('1'));
  assert.equal(taken.when('wantCard', { url: 'https://example.org/other' }).events.length, 1);
  assert.deepEqual(page().when('finishCard', { card }).events, []);
  assert.match(linkId(url), /^\d{18}$/);
});

test('cardNow returns the card and whether it is valid, and nothing for another address', () => {
  const now = (at: ReturnType<typeof page>, nowMs = startMs) => at.when('cardNow', { url }, { nowMs }).reply;
  assert.deepEqual(now(page()), { card: undefined, known: false });
  const wanted = page().when('wantCard', { url });
  assert.deepEqual(now(wanted), { card: undefined, known: true });
  const done = wanted.when('finishCard', { card });
  assert.deepEqual(now(done), { card, known: true });
  assert.deepEqual(now(done, startMs + CARD_MS), { card, known: false });
  const other = done.when('cardNow', { url: 'https://example.org/other' });
  assert.deepEqual(other.reply, { card: undefined, known: true });
});
