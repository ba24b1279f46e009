import { distinguishesFollowers } from '../../../actors/domain/quoting.js';
import type { StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import { Cache, type Caches } from '../../../store/cache/cache.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type SeenNotification, seenNotifications } from '../../notifications/seen-notifications.js';
import type { StoredNotification } from '../../notifications/stored-notification.js';
import { type Soon, soon } from '../../paging/soon.js';
import type { InstanceSettings } from '../../settings/settings.js';
import type { FilterMatch } from '../../viewing/filters.js';
import type { Lens } from '../../viewing/lens.js';
import { loadAccounts, type People, PeopleAtHand } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { type Tagged, taggedCollections } from '../../viewing/visible-collections.js';
import type { SeenQuote, VisibleStatus } from '../../viewing/visible-status.js';
import { OtherCards } from '../cached-lists.js';
import { notificationHead } from '../notification/notification.js';
import { fallbackOf } from '../notification/notification-fallback.js';
import { type Card, Cards, type Ends, Tails } from './cached-statuses.js';
import { collectionJson } from './collection.js';
import { approvalOf, shallowQuote } from './quote.js';
import { type Status, viewerBits } from './status.js';
import { type Marks, NO_MARKS, type ViewerMarks } from './viewer-marks.js';

/** Notifications with cached heads: some 200 bytes each. */
const HEADS_MAX = 32_768;

/** Changes that the viewer just made to a status: true, or false for an undo. */
export interface Done {
  readonly favourited?: boolean;
  readonly reblogged?: boolean;
  readonly bookmarked?: boolean;
}

const COMMA = Buffer.from(',');
const BEGIN = Buffer.from('[');
const END = Buffer.from(']');
const STATUS = Buffer.from(',"status":');
const TAGGED = Buffer.from('{"tagged_collections":');
const CLOSE = Buffer.from('}');
const NULL = Buffer.from('null');
const NO_QUOTE = Buffer.from('null,"quote":null');
const NOTHING: Done = {};

/** Place of a status: on its own, within a reblog, or within a status that quotes it. */
type Place = 'page' | 'reblog' | 'quote';

/** State of one rendering for one viewer. */
interface Look {
  readonly clock: ReadServices['clock'];
  readonly viewer: string | undefined;
  readonly authors: People;
  readonly marks: Marks;
  readonly lens: Lens | undefined;
  /** Collections as the viewer sees them. Undefined in the first pass, which only collects their ids. */
  readonly tagged: Tagged | undefined;
  linked: string[] | undefined;
  /** Rendered quotes: many statuses of a page may quote the same one. */
  quotes: Map<SeenQuote, Uint8Array[]> | undefined;
}

/**
 * Renders statuses as JSON for a viewer, from cached bytes. Visibility was decided before, so it accepts VisibleStatus
 * only.
 */
export class StatusPages {
  readonly #cards: Cards;
  readonly #tails: Tails;
  readonly others: OtherCards;
  readonly #marks: ViewerMarks;
  readonly #instance: InstanceSettings;
  /** Constant part of notifications, without account and status. */
  readonly #heads: Cache<Uint8Array>;

  /** Heads by the quote's state: a handful. */
  readonly #quoteHeads = new Map<string, Uint8Array>();

  constructor(instance: InstanceSettings, marks: ViewerMarks, caches?: Caches) {
    this.#heads = new Cache('notification_fragments', HEADS_MAX, caches);
    this.#cards = new Cards(instance, caches);
    this.#tails = new Tails(instance);
    this.others = new OtherCards(instance, caches);
    this.#marks = marks;
    this.#instance = instance;
  }

  /** Returns a JSON array. Statuses that are absent, or whose author is deleted, are left out. */
  list(
    services: ReadServices,
    viewer: string | undefined,
    seen: readonly (VisibleStatus | undefined)[],
  ): Soon<JsonPieces> {
    return soon(this.pieces(services, viewer, seen), (pieces) => new JsonPieces(arrayOf(pieces)));
  }

  /**
   * Returns one status; undefined if it is absent. `done` overrides marks that the viewer just set, because their rows
   * may not be written yet.
   */
  one(
    services: ReadServices,
    viewer: string | undefined,
    seen: VisibleStatus | undefined,
    done: Done = NOTHING,
  ): Soon<JsonPieces | undefined> {
    return soon(this.pieces(services, viewer, [seen], done), (all) => {
      const pieces = all[0];
      return pieces && new JsonPieces(pieces);
    });
  }

  /** Returns one status as an object, for answers that change its fields; undefined if it is absent. */
  async entity(services: ReadServices, viewer: string | undefined, seen: VisibleStatus): Promise<Status | undefined> {
    const json = await this.one(services, viewer, seen);
    return json && (JSON.parse(json.toString()) as Status);
  }

  /** Renders each status as pieces of JSON, to be part of a larger object. */
  pieces(
    services: ReadServices,
    viewer: string | undefined,
    seen: readonly (VisibleStatus | undefined)[],
    done: Done = NOTHING,
  ): Soon<(readonly Uint8Array[] | undefined)[]> {
    return this.#rendered(services, viewer, seen, done, undefined);
  }

  /** Renders each status like `pieces`, with relations that the caller just checked. */
  seenBy(
    services: ReadServices,
    viewer: string | undefined,
    seen: readonly (VisibleStatus | undefined)[],
    lens: Lens,
  ): Soon<(readonly Uint8Array[] | undefined)[]> {
    return this.#rendered(services, viewer, seen, NOTHING, lens);
  }

  #rendered(
    services: ReadServices,
    viewer: string | undefined,
    seen: readonly (VisibleStatus | undefined)[],
    done: Done,
    known: Lens | undefined,
  ): Soon<(readonly Uint8Array[] | undefined)[]> {
    const markedIds: string[] = [];
    for (const status of seen) {
      if (status === undefined) continue;
      markedIds.push(status.original?.id ?? status.record.id);
      const quoted = status.quote?.quoted?.record;
      if (quoted !== undefined) markedIds.push(quoted.id);
    }
    return soon(viewer === undefined ? NO_MARKS : this.#marks.of(viewer, markedIds), (stored) =>
      soon(viewer === undefined ? undefined : (known ?? lensOf(services, viewer)), (lens) =>
        this.#shown(services, viewer, seen, done === NOTHING ? stored : after(stored, done), lens),
      ),
    );
  }

  #shown(
    services: ReadServices,
    viewer: string | undefined,
    seen: readonly (VisibleStatus | undefined)[],
    marks: Marks,
    lens: Lens | undefined,
  ): Soon<(readonly Uint8Array[] | undefined)[]> {
    const { clock } = services;
    const atHand = new PeopleAtHand(services);
    const look = lookOf(clock, viewer, atHand, marks, lens);
    const pieces = this.#all(look, seen);
    if (atHand.complete) return this.#withTagged(services, look, seen, pieces);
    return soon(loadAccounts(services, authorsOf(seen)), (authors) =>
      this.#withTagged(services, lookOf(clock, viewer, authors, marks, lens), seen),
    );
  }

  #all(look: Look, seen: readonly (VisibleStatus | undefined)[]): (readonly Uint8Array[] | undefined)[] {
    return seen.map((status) => status && this.#status(look, status));
  }

  #withTagged(
    services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
    look: Look,
    seen: readonly (VisibleStatus | undefined)[],
    first = this.#all(look, seen),
  ): Soon<(readonly Uint8Array[] | undefined)[]> {
    if (look.linked === undefined) return first;
    return soon(taggedCollections(services, look.viewer, [...new Set(look.linked)]), (tagged) =>
      this.#all({ ...look, tagged, quotes: undefined }, seen),
    );
  }

  /** Returns the viewer's marks on these statuses. */
  marksOf(viewer: string, statusIds: readonly string[]): Soon<Marks> {
    return this.#marks.of(viewer, statusIds);
  }

  /** Returns the complete JSON of an account. */
  account(record: StoreAccountRecord): Uint8Array {
    return this.#cards.account(record).bytes;
  }

  /** Returns the JSON of an account without the closing brace. */
  openAccount(record: StoreAccountRecord): Uint8Array {
    return this.#cards.account(record).open;
  }

  /**
   * Renders notifications as pieces of JSON; undefined if the viewer may not see one. A type that is not supported gets
   * a text as fallback.
   */
  notifications(
    services: ReadServices,
    viewer: string,
    stored: readonly StoredNotification[],
    supportedTypes?: readonly string[],
  ): Soon<(readonly Uint8Array[] | undefined)[]> {
    return soon(seenNotifications(services, viewer, stored), (seen) => {
      // Many notifications concern the same few statuses.
      const about = [...new Set(seen.map((one) => one?.status))];
      return soon(this.pieces(services, viewer, about), (pieces) => {
        const statuses = new Map(about.map((status, index) => [status, pieces[index]]));
        return seen.map((one) => one && this.#notification(one, statuses.get(one.status), supportedTypes));
      });
    });
  }

  #notification(
    one: SeenNotification,
    status: readonly Uint8Array[] | undefined,
    supportedTypes: readonly string[] | undefined,
  ): Uint8Array[] | undefined {
    const pieces = [this.#head(one), this.account(one.account)];
    if (one.status !== undefined) {
      if (status === undefined) return undefined;
      pieces.push(STATUS, ...status);
    }
    if (one.subject !== undefined) pieces.push(Buffer.from(`,${JSON.stringify(one.subject).slice(1, -1)}`));
    const fallback = supportedTypes && fallbackOf(one, supportedTypes);
    if (fallback !== undefined) pieces.push(Buffer.from(`,"fallback":${JSON.stringify(fallback)}`));
    pieces.push(CLOSE);
    return pieces;
  }

  #head(one: SeenNotification): Uint8Array {
    let head = this.#heads.get(one.id);
    if (head === undefined) {
      head = Buffer.from(`${JSON.stringify(notificationHead(one)).slice(0, -1)},"account":`);
      this.#heads.set(one.id, head);
    }
    return head;
  }

  #status(look: Look, { record, original, filtered, quote }: VisibleStatus): readonly Uint8Array[] | undefined {
    if (original === undefined) return this.#plain(look, record, filtered, quote, 'page');
    const author = look.authors.get(record.accountId);
    const inner = this.#plain(look, original, filtered, quote, 'reblog');
    if (author === undefined || inner === undefined) return undefined;
    const isMuted = look.lens?.mutesConversation(record.conversationId) ?? false;
    const card = this.#cards.status(record, author);
    const [own, tail] = this.#ends(look, card, original.id, isMuted, filtered);
    return [own, ...inner, tail];
  }

  /** Renders a status that is not a reblog. Only the outermost place shows that its conversation is muted. */
  #plain(
    look: Look,
    record: StoreStatusRecord,
    filtered: readonly FilterMatch[] | undefined,
    quote: SeenQuote | undefined,
    place: Place,
  ): readonly Uint8Array[] | undefined {
    const author = look.authors.get(record.accountId);
    if (author === undefined) return undefined;
    const isMuted = place === 'page' && (look.lens?.mutesConversation(record.conversationId) ?? false);
    const creator = record.card?.authorId === undefined ? undefined : look.authors.get(record.card.authorId);
    const card = this.#cards.status(record, author, creator);
    const ends = this.#ends(look, card, record.id, isMuted, filtered);
    if (card.collections === undefined && record.quote === undefined) return ends;
    const [own, tail] = ends;
    const middle = record.quote === undefined ? [] : this.#quote(look, quote, place);
    if (card.collections === undefined) return [own, ...middle, tail];
    return [...this.#collections(look, card.collections), own.subarray(1), ...middle, tail];
  }

  /** Returns the linked collections, which precede the status' own fields. */
  #collections(look: Look, ids: readonly string[]): Uint8Array[] {
    look.linked = [...(look.linked ?? []), ...ids];
    const shown = ids.map((id) => look.tagged?.get(id));
    return [TAGGED, ...arrayOf(shown.map((one) => one && [collectionJson(this.#instance, one)])), COMMA];
  }

  /** Returns the first and the last piece of a status. `markedId` is the reblogged status, or the status itself. */
  #ends(
    { clock, viewer, marks, lens }: Look,
    { record, author, bytes, forOthers }: Card,
    markedId: string,
    isMuted: boolean,
    filtered: readonly FilterMatch[] | undefined,
  ): Ends {
    const mark = marks(markedId);
    const isOther = viewer !== undefined && viewer !== record.accountId && !isMuted && filtered === undefined;
    const bits = isOther ? viewerBits(record, author, viewer, mark, false) : 0;
    const shared = isOther ? forOthers[bits] : undefined;
    if (shared !== undefined) return shared;
    const follows = distinguishesFollowers(record) && lens?.relation(record.accountId).following === true;
    const quotable = approvalOf(record, viewer, follows);
    const tail = this.#tails.of(record, author, viewer, mark, isMuted, clock, quotable, filtered);
    const ends: Ends = [bytes, tail];
    if (isOther && record.poll === undefined && !distinguishesFollowers(record)) forOthers[bits] = ends;
    return ends;
  }

  /** Returns the quote, which is between a quoting status' bytes and its tail. */
  #quote(look: Look, quote: SeenQuote | undefined, place: Place): Uint8Array[] {
    if (quote === undefined) return [NO_QUOTE];
    if (place === 'quote') return [Buffer.from(`null,"quote":${JSON.stringify(shallowQuote(quote))}`)];
    look.quotes ??= new Map();
    let pieces = look.quotes.get(quote);
    if (pieces === undefined) {
      const { quoted } = quote;
      const inner = quoted && this.#plain(look, quoted.record, quoted.filtered, quoted.quote, 'quote');
      pieces = [this.#quoteHead(quote.state), ...(inner ?? [NULL]), CLOSE];
      look.quotes.set(quote, pieces);
    } else if (pieces.length > 1) {
      // Another status of the page quotes the same one, so the joined bytes are cached.
      pieces = [Buffer.concat(pieces)];
      look.quotes.set(quote, pieces);
    }
    return pieces;
  }

  #quoteHead(state: string): Uint8Array {
    let head = this.#quoteHeads.get(state);
    if (head === undefined) {
      head = Buffer.from(`null,"quote":{"state":"${state}","quoted_status":`);
      this.#quoteHeads.set(state, head);
    }
    return head;
  }
}

function lookOf(
  clock: ReadServices['clock'],
  viewer: string | undefined,
  authors: People,
  marks: Marks,
  lens: Lens | undefined,
): Look {
  return { clock, viewer, authors, marks, lens, tagged: undefined, linked: undefined, quotes: undefined };
}

function authorsOf(seen: readonly (VisibleStatus | undefined)[]): string[] {
  const ids: string[] = [];
  for (const status of seen) {
    if (status === undefined) continue;
    const { record, original, quote } = status;
    for (const one of [record, original, quote?.quoted?.record]) {
      if (one === undefined) continue;
      ids.push(one.accountId);
      if (one.card?.authorId !== undefined) ids.push(one.card.authorId);
    }
  }
  return ids;
}

/** Returns the cached lens, because visibility was decided a moment ago by the same relations. */
function lensOf({ lenses }: Pick<ReadServices, 'lenses'>, viewer: string): Soon<Lens> {
  return lenses.latest(viewer)?.lens ?? soon(lenses.of(viewer), (view) => view.lens);
}

/** Builds a JSON array of the items that are present, appended to `pieces`. */
export function arrayOf(
  items: readonly (readonly Uint8Array[] | undefined)[],
  pieces: Uint8Array[] = [],
): Uint8Array[] {
  pieces.push(BEGIN);
  let isFirst = true;
  for (const item of items) {
    if (item === undefined) continue;
    if (!isFirst) pieces.push(COMMA);
    isFirst = false;
    for (const piece of item) pieces.push(piece);
  }
  pieces.push(END);
  return pieces;
}

function after(stored: Marks, { favourited, reblogged, bookmarked }: Done): Marks {
  const id = (isDone: boolean | undefined, cached: string | undefined) =>
    isDone === undefined ? cached : isDone ? (cached ?? '') : undefined;
  return (statusId) => {
    const mark = stored(statusId);
    return {
      favouriteId: id(favourited, mark?.favouriteId),
      reblogId: id(reblogged, mark?.reblogId),
      bookmarkId: id(bookmarked, mark?.bookmarkId),
      votes: mark?.votes,
    };
  };
}
