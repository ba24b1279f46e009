import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { hashedId } from '../domain/text/hashed-id.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  cardNow: { in: P.LinkAskCard; out: P.LinkCardNow };
  wantCard: { in: P.LinkWantCard; out: P.LinkEmpty };
  finishCard: { in: P.LinkFinishCard; out: P.LinkEmpty };
  tellHolders: { in: P.LinkTellHolders; out: P.LinkEmpty };
}
export interface Events {
  cardWanted: P.LinkCardWanted;
  cardFinished: P.LinkCardFinished;
  holdersTold: P.LinkHoldersTold;
}
export interface State {
  /** Undefined before the first command. */
  url: string | undefined;
  card: P.LinkCard | undefined;
  /** Time of the last fetch (ms); 0: never. */
  atMs: number;
  /** Start of the current fetch (ms); 0: none. */
  fetchingSinceMs: number;
  readonly waiting: P.LinkWanting[];
  /** Statuses that have received a card, at most HOLDERS_MAX. */
  readonly holders: P.LinkWanting[];
  /** Number of further statuses, which have rows. */
  rows: number;
  /** True when there are statuses without rows, so that it is unknown who shows an old image. */
  crowded: boolean;
}

/** Time for which a card is valid. Source: Mastodon's PreviewCard, two weeks. */
export const CARD_MS = 14 * 86_400_000;
/** Time before a page without a card, or without an answer, is fetched again. */
export const NOTHING_MS = 3_600_000;
/** A fetch that has not ended after this time was lost with its node. */
export const FETCH_MS_MAX = 60_000;
/** Statuses that wait for one fetch of some seconds. If there are more, all that show the page receive the card. */
export const WAITING_MAX = 200;

/** Statuses in the state that show the card. Bounds one activation to some 200 KB of them. */
export const HOLDERS_MAX = 1_000;
/** Rows processed at a time: one event of 25 KB. */
export const HOLDERS_PER_PART = 500;

export const initialLink = (): State => ({
  ...{ url: undefined, card: undefined, atMs: 0, fetchingSinceMs: 0 },
  ...{ waiting: [], holders: [], rows: 0, crowded: false },
});

/** The card of one page, fetched once for the whole cluster. */
export const webPage: Slice<State, Commands, Events> = {
  decide: {
    cardNow(state, { url }, { nowMs }) {
      if (state.url !== undefined && state.url !== url) return { events: [], reply: { card: undefined, known: true } };
      return { events: [], reply: { card: state.card, known: isFresh(state, nowMs) || isFetched(state, nowMs) } };
    },
    wantCard(state, { url, by }, { nowMs }) {
      // Two addresses with the same id: the second has no card.
      if (state.url !== undefined && state.url !== url) return { events: [], reply: {} };
      const isKnown = isFresh(state, nowMs);
      if (isKnown && state.card === undefined) return { events: [], reply: {} };
      const fetch = !isKnown && !isFetched(state, nowMs);
      const row = by !== undefined && state.holders.length >= HOLDERS_MAX ? state.rows : undefined;
      return { events: [{ type: 'cardWanted', url, by, fetch, atMs: nowMs, row }], reply: {} };
    },
    finishCard(state, { card }, { nowMs }) {
      if (state.fetchingSinceMs === 0) return { events: [], reply: {} };
      const kept = keptCard(state, card, nowMs);
      if (kept !== undefined) {
        const finished = { card: state.card, ...kept, ...(isFull(state) ? {} : { kept: true }) };
        return { events: [{ type: 'cardFinished', waiting: told(state, isFull(state)), ...finished }], reply: {} };
      }
      const isChanged = state.card !== undefined && card !== undefined;
      const waiting = told(state, isChanged || isFull(state));
      const before = state.card?.image ?? '';
      const isFree = isChanged && before !== '' && before !== card.image && !state.crowded;
      const replaced = isFree ? before : undefined;
      return { events: [{ type: 'cardFinished', card, waiting, atMs: nowMs, replaced }], reply: {} };
    },
    tellHolders: (_state, some) => ({ events: [{ type: 'holdersTold', ...some }], reply: {} }),
  },
  apply: {
    cardWanted(state, { url, by, fetch, atMs, row }) {
      state.url = url;
      if (fetch) state.fetchingSinceMs = atMs;
      if (by === undefined) return;
      if (state.fetchingSinceMs > 0 && !isFull(state)) state.waiting.push(by);
      if (state.holders.length < HOLDERS_MAX) state.holders.push(by);
      else if (row === undefined) state.crowded = true;
      else state.rows = row + 1;
    },
    cardFinished(state, { card, atMs }) {
      state.card = card;
      state.atMs = atMs;
      state.fetchingSinceMs = 0;
      state.waiting.length = 0;
    },
    holdersTold: () => undefined,
  },
  commands: {
    cardNow: {
      in: codec('murmuration.link.AskCard'),
      out: codec('murmuration.link.CardNow'),
      repeats: 'query',
      local: true,
    },
    wantCard: {
      in: codec('murmuration.link.WantCard'),
      out: codec('murmuration.link.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    finishCard: {
      in: codec('murmuration.link.FinishCard'),
      out: codec('murmuration.link.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    tellHolders: {
      in: codec('murmuration.link.TellHolders'),
      out: codec('murmuration.link.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    cardWanted: { codec: codec('murmuration.link.CardWanted'), invalidates: false },
    cardFinished: { codec: codec('murmuration.link.CardFinished'), invalidates: false },
    holdersTold: { codec: codec('murmuration.link.HoldersTold'), invalidates: false },
  },
};

const isFresh = ({ atMs, card }: Readonly<State>, nowMs: number) =>
  atMs > 0 && nowMs - atMs < (card === undefined ? NOTHING_MS : CARD_MS);
const isFetched = ({ fetchingSinceMs }: Readonly<State>, nowMs: number) =>
  fetchingSinceMs > 0 && nowMs - fetchingSinceMs < FETCH_MS_MAX;

const isFull = ({ waiting }: Readonly<State>) => waiting.length >= WAITING_MAX;
/** Returns the statuses that receive a card: all known ones, or those that wait. */
const told = ({ holders, waiting }: Readonly<State>, all: boolean) =>
  all ? [...new Set([...holders, ...waiting])] : [...waiting];

/**
 * Decides whether to keep the stored card; undefined when the page shows something new. A page that shows nothing, or
 * is unavailable, keeps its card and is fetched again soon. A page with the same content, its image compared by
 * blurhash and size, keeps the stored image.
 */
function keptCard(
  { card: before }: Readonly<State>,
  card: P.LinkCard | undefined,
  nowMs: number,
): { readonly atMs: number; readonly replaced: string | undefined } | undefined {
  if (before === undefined) return undefined;
  if (card === undefined) return { atMs: nowMs - CARD_MS + NOTHING_MS, replaced: undefined };
  const isSame = (Object.keys(card) as (keyof P.LinkCard)[]).every((field) =>
    field === 'image' ? !card.image === !before.image : card[field] === before[field],
  );
  if (!isSame) return undefined;
  return { atMs: nowMs, replaced: card.image === before.image ? undefined : card.image };
}

/** Returns the id of the actor of an address. */
export const linkId = (url: string): string => hashedId(url);
