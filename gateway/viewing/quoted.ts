import type { StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import { type Soon, soon } from '../paging/soon.js';
import type { FilterMatch } from './filters.js';
import { quotedStatus, withQuote } from './judge.js';
import type { SeenQuote, VisibleStatus } from './visible-status.js';

const NOTHING: readonly StoreStatusRecord[] = [];

/** Access to quoted statuses on behalf of one viewer. */
export interface QuoteView {
  load(ids: readonly string[]): Soon<readonly (StoreStatusRecord | undefined)[]>;
  authors(ids: readonly string[]): Soon<ReadonlyMap<string, StoreAccountRecord>>;
  /** Returns `accepted`, or the reason why the quote is shown differently. An `unauthorized` quote shows nothing. */
  stateOf(record: StoreStatusRecord, author: StoreAccountRecord | undefined): string;
  filtered(record: StoreStatusRecord): readonly FilterMatch[];
}

/** Returns true if one of the statuses quotes another. Most pages need only this check. */
export function quotesAny(seen: readonly (VisibleStatus | undefined)[]): boolean {
  for (const status of seen) if (status !== undefined && (status.original ?? status.record).quote) return true;
  return false;
}

/** Adds their quotes to the statuses. Takes two reads for a page, and two more if quoted statuses quote others. */
export function withQuotes(
  seen: readonly (VisibleStatus | undefined)[],
  view: QuoteView,
): Soon<(VisibleStatus | undefined)[]> {
  const first: StoreStatusRecord[] = [];
  for (const status of seen) if (status !== undefined) first.push(status.original ?? status.record);
  const known = new Map<string, StoreStatusRecord>();
  return soon(loadQuoted(first, known, view), (nested) =>
    soon(loadQuoted(nested, known, view), () => {
      const authorIds: string[] = [];
      for (const { accountId } of known.values()) authorIds.push(accountId);
      return soon(view.authors(authorIds), (authors) => quotesOf(seen, view, known, authors));
    }),
  );
}

function quotesOf(
  seen: readonly (VisibleStatus | undefined)[],
  view: QuoteView,
  known: ReadonlyMap<string, StoreStatusRecord>,
  authors: ReadonlyMap<string, StoreAccountRecord>,
): (VisibleStatus | undefined)[] {
  /** Quotes by quoted id: many statuses may quote the same one. */
  const made = new Map<string, SeenQuote>();
  const quoteOf = (record: StoreStatusRecord, isNested: boolean): SeenQuote | undefined => {
    if (record.quote === undefined) return undefined;
    const { statusId, state } = record.quote;
    if (state !== 'accepted') return { state: state || 'pending', quoted: undefined };
    if (isNested) return seenQuote(statusId, isNested);
    let quote = made.get(statusId);
    if (quote === undefined) {
      quote = seenQuote(statusId, isNested);
      made.set(statusId, quote);
    }
    return quote;
  };
  const seenQuote = (statusId: string, isNested: boolean): SeenQuote => {
    const quoted = known.get(statusId);
    if (quoted === undefined || quoted.deleted) return { state: 'deleted', quoted: undefined };
    const now = view.stateOf(quoted, authors.get(quoted.accountId));
    if (now === 'unauthorized') return { state: now, quoted: undefined };
    if (isNested) return { state: now, quoted: quotedStatus(quoted, [], undefined) };
    return { state: now, quoted: quotedStatus(quoted, view.filtered(quoted), quoteOf(quoted, true)) };
  };
  return seen.map((status) => {
    const quote = status && quoteOf(status.original ?? status.record, false);
    return status === undefined || quote === undefined ? status : withQuote(status, quote);
  });
}

/** Loads the accepted quotes of these statuses, and adds them to `known`. */
function loadQuoted(
  records: readonly StoreStatusRecord[],
  known: Map<string, StoreStatusRecord>,
  view: QuoteView,
): Soon<readonly StoreStatusRecord[]> {
  let ids: Set<string> | undefined;
  for (const { quote } of records) {
    if (quote?.state !== 'accepted' || known.has(quote.statusId)) continue;
    ids ??= new Set();
    ids.add(quote.statusId);
  }
  if (ids === undefined) return NOTHING;
  return soon(view.load([...ids]), (loaded) => {
    const found = loaded.filter((record) => record !== undefined);
    for (const record of found) known.set(record.id, record);
    return found;
  });
}
