import type { Clock } from '../../actors/domain/time.js';
import type { AccountFilter, StoreStatusRecord } from '../../proto/gen/types.js';
import { folded, Keyword } from './keyword.js';

/** Where a status is about to be shown, as filters name it. */
export type FilterContext = 'home' | 'notifications' | 'public' | 'thread' | 'account';

/** A filter that a status falls under, and by what. */
export interface FilterMatch {
  readonly filter: AccountFilter;
  /** The keywords found in it. */
  readonly keywords: readonly string[];
  /** The status itself, where the filter names it. */
  readonly statuses: readonly string[];
}

/** In these a filter that hides keeps the status away; elsewhere clients do. */
const DROPPING: ReadonlySet<FilterContext> = new Set(['home', 'notifications']);
/** Longer texts are looked through up to here: bounds the time that one status takes. */
const TEXT_CHARS_MAX = 10_000;
const NOTHING: readonly FilterMatch[] = [];

interface Rule {
  readonly filter: AccountFilter;
  readonly keywords: readonly { readonly keyword: string; readonly sought: Keyword }[];
  readonly statuses: ReadonlySet<string>;
}

/** Statuses of which it is remembered what they fall under, for each context: a few pages; some 40 bytes each. */
const REMEMBERED_MAX = 256;

/** What statuses fall under in one context. Rows are not changed: of a status that is, there is another one. */
interface Remembered {
  found: WeakMap<StoreStatusRecord, readonly FilterMatch[]>;
  count: number;
}

/** A viewer's filters, made ready. One that has expired is not applied. */
export class Filters {
  readonly #rules: readonly Rule[];
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** When the next filter expires: until then what is remembered holds. */
  #untilMs: number;
  readonly #remembered = new Map<FilterContext | undefined, Remembered>();

  constructor(filters: readonly AccountFilter[], clock: Pick<Clock, 'nowMs'>) {
    this.#rules = filters.map(ruleOf);
    this.#clock = clock;
    this.#untilMs = nextExpiry(filters, Number.NEGATIVE_INFINITY);
  }

  /** What a status, and not the reblog of one, falls under there; without a context, anywhere. */
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
      const keywords = said(text, sought);
      const named = statuses.has(status.id) ? [status.id] : [];
      if (keywords.length > 0 || named.length > 0) found.push({ filter, keywords, statuses: named });
    }
    return found.length === 0 ? NOTHING : found;
  }
}

/** The first time after that at which a filter ends to be applied; infinity where none does. */
function nextExpiry(filters: readonly AccountFilter[], afterMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { expiresAtMs } of filters)
    if (expiresAtMs > 0 && expiresAtMs > afterMs) nextMs = Math.min(nextMs, expiresAtMs);
  return nextMs;
}

/** Whether what falls under these is not shown there at all. */
export function isDropped(matches: readonly FilterMatch[], context: FilterContext | undefined): boolean {
  return context !== undefined && DROPPING.has(context) && matches.some(({ filter }) => filter.action === 'hide');
}

/** All words of a status that its readers see. */
function filteredText({ spoilerText, text, media, poll }: StoreStatusRecord): string {
  let words = spoilerText === '' ? text : `${spoilerText}\n${text}`;
  for (const { description } of media?.media ?? []) words += `\n${description}`;
  for (const { title } of poll?.options ?? []) words += `\n${title}`;
  return folded(words.slice(0, TEXT_CHARS_MAX));
}

function said(text: string, keywords: Rule['keywords']): string[] {
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
