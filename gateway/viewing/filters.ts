import type { Clock } from '../../actors/domain/time.js';
import type { AccountFilter, StoreStatusRecord } from '../../proto/gen/types.js';
import { folded, Keyword } from './keyword.js';

/** Place in which a status is shown, in the words of the filter API. */
export type FilterContext = 'home' | 'notifications' | 'public' | 'thread' | 'account';

/** A filter that matches a status, and the reason. */
export interface FilterMatch {
  readonly filter: AccountFilter;
  /** Keywords found in the status. */
  readonly keywords: readonly string[];
  /** Id of the status, if the filter names it. */
  readonly statuses: readonly string[];
}

/** Contexts in which the server drops a status that a filter hides. In other contexts clients hide it. */
const DROPPING: ReadonlySet<FilterContext> = new Set(['home', 'notifications']);
/** Characters of a status that are searched: bounds the time for one status. */
const TEXT_CHARS_MAX = 10_000;
const NOTHING: readonly FilterMatch[] = [];

interface Rule {
  readonly filter: AccountFilter;
  readonly keywords: readonly { readonly keyword: string; readonly sought: Keyword }[];
  readonly statuses: ReadonlySet<string>;
}

/** Statuses with cached matches for each context: a few pages; some 40 bytes each. */
const REMEMBERED_MAX = 256;

/** Cached matches of statuses in one context. A row is never modified: a changed status has a new record. */
interface Remembered {
  found: WeakMap<StoreStatusRecord, readonly FilterMatch[]>;
  count: number;
}

/** A viewer's compiled filters. An expired filter does not apply. */
export class Filters {
  readonly #rules: readonly Rule[];
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** Expiry of the next filter; cached matches are valid until then. */
  #untilMs: number;
  readonly #remembered = new Map<FilterContext | undefined, Remembered>();

  constructor(filters: readonly AccountFilter[], clock: Pick<Clock, 'nowMs'>) {
    this.#rules = filters.map(ruleOf);
    this.#clock = clock;
    this.#untilMs = nextExpiry(filters, Number.NEGATIVE_INFINITY);
  }

  /**
   * Returns the filters that match a status in a context, or in any context if none is given. For a reblog, pass its
   * original.
   */
  matches(status: StoreStatusRecord, context: FilterContext | undefined): readonly FilterMatch[] {
    if (this.#untilMs !== Number.POSITIVE_INFINITY && this.#clock.nowMs() >= this.#untilMs) this.#expire();
    let remembered = this.#remembered.get(context);
    const known = remembered?.found.get(status);
    if (known !== undefined) return known;
    if (remembered === undefined || remembered.count >= REMEMBERED_MAX) {
      remembered = { found: new WeakMap(), count: 0 };
      this.#remembered.set(context, remembered);
    }
    const found = this.#found(status, context);
    remembered.found.set(status, found);
    remembered.count++;
    return found;
  }

  #expire(): void {
    this.#remembered.clear();
    const filters = this.#rules.map(({ filter }) => filter);
    this.#untilMs = nextExpiry(filters, this.#clock.nowMs());
  }

  #found(status: StoreStatusRecord, context: FilterContext | undefined): readonly FilterMatch[] {
    const nowMs = this.#clock.nowMs();
    const found: FilterMatch[] = [];
    let text: string | undefined;
    for (const { filter, keywords: sought, statuses } of this.#rules) {
      if (filter.expiresAtMs > 0 && filter.expiresAtMs <= nowMs) continue;
      if (context !== undefined && !filter.context.includes(context)) continue;
      text ??= filteredText(status);
      const keywords = keywordsIn(text, sought);
      const named = statuses.has(status.id) ? [status.id] : [];
      if (keywords.length > 0 || named.length > 0) found.push({ filter, keywords, statuses: named });
    }
    return found.length === 0 ? NOTHING : found;
  }
}

/** Returns the earliest expiry after `afterMs`, or infinity if there is none. */
function nextExpiry(filters: readonly AccountFilter[], afterMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { expiresAtMs } of filters)
    if (expiresAtMs > 0 && expiresAtMs > afterMs) nextMs = Math.min(nextMs, expiresAtMs);
  return nextMs;
}

/** Returns true if a status with these matches must be dropped in the context. */
export function isDropped(matches: readonly FilterMatch[], context: FilterContext | undefined): boolean {
  return context !== undefined && DROPPING.has(context) && matches.some(({ filter }) => filter.action === 'hide');
}

/** Returns all text of a status that its readers see. */
function filteredText({ spoilerText, text, media, poll }: StoreStatusRecord): string {
  let words = spoilerText === '' ? text : `${spoilerText}\n${text}`;
  for (const { description } of media?.media ?? []) words += `\n${description}`;
  for (const { title } of poll?.options ?? []) words += `\n${title}`;
  return folded(words.slice(0, TEXT_CHARS_MAX));
}

function keywordsIn(text: string, keywords: Rule['keywords']): string[] {
  const found: string[] = [];
  for (const { keyword, sought } of keywords) if (sought.isIn(text)) found.push(keyword);
  return found;
}

function ruleOf(filter: AccountFilter): Rule {
  return {
    filter,
    keywords: filter.keywords.map(({ keyword, wholeWord }) => ({ keyword, sought: new Keyword(keyword, wholeWord) })),
    statuses: new Set(filter.statuses.map(({ statusId }) => statusId)),
  };
}
