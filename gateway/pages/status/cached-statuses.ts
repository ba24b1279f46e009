import type { Clock } from '../../../actors/domain/time.js';
import { layouts } from '../../../proto/gen/layouts.js';
import type { StoreAccountRecord, StoreMark, StoreStatusRecord } from '../../../proto/gen/types.js';
import { Cache, type Caches } from '../../../store/cache/cache.js';
import type { EmojiLookup } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';
import type { FilterMatch } from '../../viewing/filters.js';
import { renderAccount } from '../account/account.js';
import { renderFilterResult } from '../account/filter.js';
import { APPROVALS, approval } from '../approvals.js';
import { Scratch } from '../scratch.js';
import { type Poll, renderPoll } from './poll.js';
import { statusCounts, statusText, type ViewerMarks, viewerBits, viewerMarks } from './status.js';
import { linkedCollections } from './tagged-collections.js';

/**
 * Cache limits: number of statuses, and total bytes. A typical status takes 2 KB; without the byte limit the longest
 * ones could take 1 GB.
 */
const CARDS_MAX = 32_768;
const CARDS_BYTES_MAX = 96 * 2 ** 20;
/** Cache limits of accounts, which take 800 bytes each and at most 30 KB. */
const ACCOUNTS_MAX = 16_384;
const ACCOUNTS_BYTES_MAX = 32 * 2 ** 20;
/** Memory of an entry besides its bytes, with the ends for viewers of one kind. */
const CARD_BYTES = 400;

const weighing = (max: number) => ({ of: ({ bytes }: CachedStatus) => CARD_BYTES + bytes.length, max });
interface CachedStatus {
  readonly bytes: Uint8Array;
}

/** JSON of an account; it is equal for all viewers. */
interface AccountCard {
  readonly record: StoreAccountRecord;
  readonly bytes: Uint8Array;
  /** The bytes without the closing brace. */
  readonly open: Uint8Array;
}

/** First and last piece of a status: all of it, but for what it reblogs or quotes and the collections to which it links. */
export type Ends = readonly [Uint8Array, Uint8Array];

/** Final bytes of a status without the viewer's fields: an open JSON object. */
export interface Card {
  readonly record: StoreStatusRecord;
  readonly author: StoreAccountRecord;
  /** The account that the preview card names. */
  readonly creator: StoreAccountRecord | undefined;
  /** Beginning of the bytes, which changes with an edit only. */
  readonly text: Uint8Array;
  /** Bytes up to the reblogged status. */
  readonly bytes: Uint8Array;
  /**
   * Ids of the collections to which the status links. These look different to each viewer and are not part of the
   * bytes.
   */
  readonly collections: readonly string[] | undefined;
  /**
   * The ends for signed-in viewers other than the author, by their marks as bits (`viewerBits`). Absent if they may look
   * different to two viewers with the same marks.
   */
  readonly forOthers: Ends[];
}

/** Fields of a record that change without its text; they are rendered beside it. */
const COUNTED: readonly string[] = ['replies', 'reblogs', 'favourites', 'poll', 'quotes'];
/** Fields of a record on which its text depends: listed once, because they are compared after each mark. */
const TEXT_FIELDS = Object.keys(layouts['murmuration.store.StatusRecord']({} as StoreStatusRecord)).filter(
  (name) => !COUNTED.includes(name),
) as (keyof StoreStatusRecord)[];

/**
 * Statuses as JSON in UTF-8, rendered once and copied into every page that shows them. An entry is valid while the
 * stored rows are the same objects: the store's cache returns the same records until they are written.
 */
export class Cards {
  readonly #instance: InstanceSettings;
  readonly #cards: Cache<Card>;
  readonly #accounts: Cache<AccountCard>;
  readonly #scratch = new Scratch();

  /** Custom emoji with which the entries were rendered. */
  #emojis: EmojiLookup['all'] | undefined;

  constructor(instance: InstanceSettings, caches?: Caches) {
    this.#instance = instance;
    this.#cards = new Cache<Card>('status_fragments', CARDS_MAX, caches, weighing(CARDS_BYTES_MAX));
    this.#accounts = new Cache<AccountCard>('account_fragments', ACCOUNTS_MAX, caches, weighing(ACCOUNTS_BYTES_MAX));
    this.#emojis = instance.emojis?.all;
  }

  account(record: StoreAccountRecord): AccountCard {
    this.#renew();
    const cached = this.#accounts.get(record.id);
    if (cached?.record === record) return cached;
    const bytes = Buffer.from(JSON.stringify(renderAccount(this.#instance, record)));
    const card = { record, bytes, open: bytes.subarray(0, -1) };
    this.#accounts.set(record.id, card);
    return card;
  }

  /** Returns `{…,"reblog":`. The reblogged status or `null` follows, then the viewer's fields. */
  status(record: StoreStatusRecord, author: StoreAccountRecord, creator?: StoreAccountRecord): Card {
    this.#renew();
    const cached = this.#cards.get(record.id);
    if (cached?.record === record && cached.author === author && cached.creator === creator) return cached;
    const isSameText =
      cached?.creator === creator &&
      cached !== undefined &&
      saysTheSame(cached.record, record) &&
      writtenBySame(cached.author, author);
    const collections = isSameText ? cached.collections : linkedCollections(this.#instance, record);
    const account = this.account(author).bytes;
    const fragment = this.#scratch.clear();
    const textLength = fragment.add(
      isSameText ? cached.text : this.#text(record, author, creator, collections !== undefined),
    );
    fragment.add(ACCOUNT);
    fragment.add(account);
    fragment.add(`,${JSON.stringify(statusCounts(record)).slice(1, -1)},"reblog":`);
    const bytes = fragment.copy();
    const text = bytes.subarray(0, textLength);
    const card = { record, author, creator, text, bytes, collections, forOthers: [] };
    this.#cards.set(record.id, card);
    return card;
  }

  /** Clears the cache after a change of custom emoji. Such changes are rare, so all entries are rendered again. */
  #renew(): void {
    if (this.#instance.emojis?.all === this.#emojis) return;
    this.#emojis = this.#instance.emojis?.all;
    this.#cards.clear();
    this.#accounts.clear();
  }

  #text(
    record: StoreStatusRecord,
    author: StoreAccountRecord,
    creator: StoreAccountRecord | undefined,
    hasCollections: boolean,
  ): string {
    // Tails adds polls, which differ between viewers and change when they end. Quotes differ between viewers, too.
    const text = statusText(this.#instance, record, author, creator);
    const told = hasCollections ? text : { ...text, tagged_collections: [] };
    const own = record.quote === undefined || record.reblogOfId !== undefined ? { ...told, quote: null } : told;
    return JSON.stringify(own).slice(0, -1);
  }
}

const ACCOUNT = Buffer.from(',"account":');

/** Ends of statuses: `null` without a reblog, nothing after a reblog or a quote, then the viewer's fields. */
export class Tails {
  /** Ends by the viewer's bits and the status' form: a handful. */
  readonly #tails: Uint8Array[] = [];
  /** Ends by filter matches; the filters return the same array while it is cached. */
  readonly #filtered = new WeakMap<readonly FilterMatch[], { readonly place: number; readonly tail: Uint8Array }>();
  readonly #instance: Pick<InstanceSettings, 'baseUrl' | 'emojis'>;

  constructor(instance: Pick<InstanceSettings, 'baseUrl' | 'emojis'>) {
    this.#instance = instance;
  }

  of(
    record: StoreStatusRecord,
    author: StoreAccountRecord,
    viewer: string | undefined,
    mark: StoreMark | undefined,
    isMuted: boolean,
    clock: Pick<Clock, 'nowMs'>,
    quotable: number,
    filtered?: readonly FilterMatch[],
  ): Uint8Array {
    const isOpen = record.reblogOfId === undefined && record.quote === undefined;
    const bits = viewer === undefined ? undefined : viewerBits(record, author, viewer, mark, isMuted);
    const place = ((bits === undefined ? 0 : bits * 2 + 1) * APPROVALS.length + quotable) * 2 + (isOpen ? 1 : 0);
    if (record.poll !== undefined) {
      const poll = renderPoll(this.#instance, record, record.poll, clock.nowMs(), viewer, mark);
      return tailOf(isOpen, quotable, marksOf(bits, filtered), poll);
    }
    if (filtered !== undefined) {
      const cached = this.#filtered.get(filtered);
      if (cached?.place === place) return cached.tail;
      const made = tailOf(isOpen, quotable, marksOf(bits, filtered));
      this.#filtered.set(filtered, { place, tail: made });
      return made;
    }
    let tail = this.#tails[place];
    if (tail === undefined) {
      tail = tailOf(isOpen, quotable, bits === undefined ? undefined : viewerMarks(bits));
      this.#tails[place] = tail;
    }
    return tail;
  }
}

/** Returns the viewer's fields of a status. Public streams show filters but no marks. */
function marksOf(
  bits: number | undefined,
  filtered: readonly FilterMatch[] | undefined,
): Partial<ViewerMarks> | undefined {
  const mine = bits === undefined ? undefined : viewerMarks(bits);
  return filtered === undefined ? mine : { ...mine, filtered: filtered.map(renderFilterResult) };
}

function tailOf(
  isOpen: boolean,
  quotable: number,
  mine: Partial<ViewerMarks> | undefined,
  poll: Poll | null = null,
): Uint8Array {
  const rest = `,${JSON.stringify({ poll, quote_approval: approval(quotable), ...mine }).slice(1)}`;
  return Buffer.from(isOpen ? `null${rest}` : rest);
}

function saysTheSame(a: StoreStatusRecord, b: StoreStatusRecord): boolean {
  for (const name of TEXT_FIELDS) {
    const [one, other] = [a[name], b[name]];
    if (one === other) continue;
    if (typeof other !== 'object' || JSON.stringify(one) !== JSON.stringify(other)) return false;
  }
  return true;
}

/**
 * Returns true if both records render the same text: addresses contain the author's name, and moderators may mark all
 * media of an account as sensitive.
 */
function writtenBySame(a: StoreAccountRecord, b: StoreAccountRecord): boolean {
  return a.username === b.username && a.domain === b.domain && a.sensitized === b.sensitized;
}
