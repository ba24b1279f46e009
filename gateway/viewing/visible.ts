import { storedId } from '../../actors/domain/ids.js';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { maySee, type Relation } from '../../actors/domain/visibility.js';
import type { AccountRelation, StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import { accounts, statuses } from '../../store/tables.js';
import { isPublished } from '../entities/account/account.js';
import { type Soon, soon } from '../paging/soon.js';
import { type FilterContext, type FilterMatch, isDropped } from './filters.js';
import { loadAccounts, type People, PeopleAtHand } from './people-at-hand.js';
import { quotesAny, type SeenQuote, withQuotes } from './quoted.js';
import { askSoon, type ReadServices } from './read-services.js';
import type { Relations } from './relations.js';
import { blocksDomainOf, type Screen } from './screen.js';

/** A status that its viewer may see; made here only, and what renderers take. */
export interface VisibleStatus {
  readonly record: StoreStatusRecord;
  /** What it reblogs, visible too. */
  readonly original: StoreStatusRecord | undefined;
  /** The viewer's filters that it falls under; absent where there are none. */
  readonly filtered?: readonly FilterMatch[] | undefined;
  /** What it quotes, or what it reblogs does, as its viewer may see that; absent where it quotes nothing. */
  readonly quote?: SeenQuote | undefined;
}

export interface VisibleOptions {
  /** Known relations to all authors concerned; absent: the viewer's actor is asked, once. */
  readonly relations?: Relations;
  /** Leaves out those whom the viewer blocks, too: lists do, single statuses don't. */
  readonly hideBlocked?: boolean;
  /** Leaves out those whom the viewer mutes: timelines do. */
  readonly hideMuted?: boolean;
  /** Leaves out those of servers that the viewer blocks, also where no context says so. */
  readonly hideDomains?: boolean;
  /** Where they are to be shown, for the viewer's filters; absent: on their own, where all filters are named. */
  readonly context?: FilterContext;
}

/** Targets of one `relations` question: bounds its message to some 100 KB. */
const RELATION_TARGETS_MAX = 2_000;
const NO_RELATIONS: Relations = () => undefined;
const NO_STATUSES: readonly (StoreStatusRecord | undefined)[] = [];

/** A status without anything that it says: what is answered to somebody who undid what they once did to it. */
export function withoutContent(record: StoreStatusRecord): VisibleStatus {
  const blank = { text: '', html: '', spoilerText: '', mentions: [], tags: [], appName: undefined, quote: undefined };
  return { record: { ...record, ...blank, favourites: 0, reblogs: 0, replies: 0 }, original: undefined };
}

/** Absent and not visible are the same to those who ask. */
export const notFound = (): Problem => problem('not_found', 'Record not found');

/** The one way from stored statuses to what a viewer may see; undefined where there is nothing for them. */
export function visibleStatuses(
  services: ReadServices,
  viewer: string | undefined,
  records: readonly (StoreStatusRecord | undefined)[],
  options: VisibleOptions = {},
): Soon<(VisibleStatus | undefined)[]> {
  return soon(loadOriginals(services, records), (originals) =>
    soon(options.relations ?? relationsOf(services, viewer), (relations) => {
      const seen = seenBy(services, viewer, records, originals, relations, options);
      const { screen } = relations;
      const { context } = options;
      const shown = screen === undefined ? seen : screenedBy(services, viewer, seen, relations, screen, options);
      return soon(shown, (all) => (quotesAny(all) ? quoting(services, viewer, all, relations, context) : all));
    }),
  );
}

/** With what they quote. */
function quoting(
  services: ReadServices,
  viewer: string | undefined,
  seen: readonly (VisibleStatus | undefined)[],
  relations: Relations,
  context: FilterContext | undefined,
): Soon<(VisibleStatus | undefined)[]> {
  const { screen } = relations;
  return withQuotes(seen, {
    load: (ids) => loadStatuses(services, ids),
    authors: (ids) => loadAccounts(services, ids),
    stateOf(record, author) {
      if (author === undefined || services.limits.suspended(record.accountId)) return 'unauthorized';
      const relation = relations(record.accountId);
      if (!mayViewerSee(record, viewer, relation)) return 'unauthorized';
      if (record.accountId === viewer) return 'accepted';
      if (relation?.blocking === true) return 'blocked_account';
      if (relation?.following !== true && blocksDomainOf(screen, author)) return 'blocked_domain';
      return relation?.muting === true ? 'muted_account' : 'accepted';
    },
    filtered: (record) => screen?.filters?.matches(record, context) ?? [],
  });
}

function screenedBy(
  services: ReadServices,
  viewer: string | undefined,
  seen: readonly (VisibleStatus | undefined)[],
  relations: Relations,
  screen: Screen,
  options: VisibleOptions,
): Soon<(VisibleStatus | undefined)[]> {
  const shown = (people: People) =>
    seen.map((status) => {
      if (status === undefined || isOfBlockedDomain(status, screen, relations, people, options)) return undefined;
      return screened(status, screen, viewer, options.context);
    });
  const atHand = new PeopleAtHand(services);
  const all = shown(atHand);
  return atHand.complete ? all : soon(loadAccounts(services, authorsOf(seen)), shown);
}

function seenBy(
  { limits }: ReadServices,
  viewer: string | undefined,
  records: readonly (StoreStatusRecord | undefined)[],
  originals: readonly (StoreStatusRecord | undefined)[],
  relations: Relations,
  options: VisibleOptions,
): (VisibleStatus | undefined)[] {
  const shows = (record: StoreStatusRecord) => {
    if (limits.suspended(record.accountId)) return false;
    const relation = relations(record.accountId);
    if (options.hideBlocked === true && relation?.blocking === true) return false;
    if (options.hideMuted === true && relation?.muting === true) return false;
    if (options.context === 'public' && limits.silenced(record.accountId)) {
      if (record.accountId !== viewer && relation?.following !== true) return false;
    }
    return mayViewerSee(record, viewer, relation);
  };
  return records.map((record, place): VisibleStatus | undefined => {
    if (record === undefined || !shows(record)) return undefined;
    if (record.reblogOfId === undefined) return { record, original: undefined, filtered: undefined, quote: undefined };
    const original = originals[place];
    return original !== undefined && shows(original)
      ? { record, original, filtered: undefined, quote: undefined }
      : undefined;
  });
}

function authorsOf(seen: readonly (VisibleStatus | undefined)[]): string[] {
  const ids: string[] = [];
  for (const status of seen) if (status !== undefined) ids.push((status.original ?? status.record).accountId);
  return ids;
}

/** Among others' statuses, where people did not choose each of them; who is followed all the same is shown. */
function isOfBlockedDomain(
  { record, original }: VisibleStatus,
  screen: Screen,
  relations: Relations,
  authors: People,
  { context, hideDomains }: VisibleOptions,
): boolean {
  if (screen.domains === undefined) return false;
  if (hideDomains !== true && (context === undefined || context === 'account')) return false;
  const author = (original ?? record).accountId;
  if (!blocksDomainOf(screen, authors.get(author))) return false;
  return relations(author)?.following !== true || (context === 'home' && original !== undefined);
}

/** What the viewer's filters say of a status; nothing is left of what they hide there. */
function screened(
  status: VisibleStatus,
  { filters }: Screen,
  viewer: string | undefined,
  context: FilterContext | undefined,
): VisibleStatus | undefined {
  const filtered = filters?.matches(status.original ?? status.record, context) ?? [];
  if (filtered.length === 0) return status;
  const { record, original, quote } = status;
  return isDropped(filtered, context) && record.accountId !== viewer
    ? undefined
    : { record, original, filtered, quote };
}

/** By id, in the ids' order. */
export function visibleById(
  services: ReadServices,
  viewer: string | undefined,
  ids: readonly string[],
  options: VisibleOptions = {},
): Soon<(VisibleStatus | undefined)[]> {
  return soon(loadStatuses(services, ids), (records) => visibleStatuses(services, viewer, records, options));
}

/** One status, or the refusal that does not tell why. */
export function visibleStatus(
  services: ReadServices,
  viewer: string | undefined,
  id: string,
): Soon<VisibleStatus | Problem> {
  return soon(visibleById(services, viewer, [id]), (found) => found[0] ?? notFound());
}

/** Records by id, in the ids' order. */
export function loadStatuses(services: ReadServices, ids: readonly string[]): Soon<(StoreStatusRecord | undefined)[]> {
  const found: (StoreStatusRecord | undefined)[] = [];
  const missing: number[] = [];
  for (const id of ids) {
    const held = services.tables.peekId?.(statuses, id);
    if (held === undefined) missing.push(found.length);
    found.push(held);
  }
  if (missing.length === 0) return found;
  const keys = missing.map((index) => statusKey(ids[index] ?? ''));
  return services.tables.getMany(statuses, keys).then((records) => {
    for (const [place, record] of records.entries()) found[missing[place] ?? 0] = record;
    return found;
  });
}

const statusKey = (id: string) => ({ status: storedId(id) });

/** The account, unless it is unknown or not confirmed or approved yet. */
export function publishedAccount({ tables }: ReadServices, id: string): Soon<StoreAccountRecord | Problem> {
  const found = tables.peekId?.(accounts, id) ?? tables.get(accounts, { account: storedId(id) });
  return soon(found, (record) => (record !== undefined && isPublished(record) ? record : notFound()));
}

/** The viewer's relations as of now; nobody's are unknown. */
export function relationsOf(services: ReadServices, viewer: string | undefined): Soon<Relations> {
  return viewer === undefined ? NO_RELATIONS : soon(services.lenses.of(viewer), ({ relations }) => relations);
}

/** The viewer's relations in full, by account. */
export function relationsTo(
  services: ReadServices,
  viewer: string,
  accountIds: readonly string[],
): Soon<ReadonlyMap<string, AccountRelation>> {
  const targets = [...new Set(accountIds)].filter((id) => id !== viewer);
  return targetsFrom(services, viewer, targets, 0, new Map());
}

function targetsFrom(
  services: ReadServices,
  viewer: string,
  targets: readonly string[],
  from: number,
  found: Map<string, AccountRelation>,
): Soon<ReadonlyMap<string, AccountRelation>> {
  if (from >= targets.length) return found;
  const next = from + RELATION_TARGETS_MAX;
  return soon(askSoon(services, viewer, 'relations', { targets: targets.slice(from, next) }), (reply) => {
    for (const relation of answered(reply).relations) found.set(relation.target, relation);
    return targetsFrom(services, viewer, targets, next, found);
  });
}

/** The reply to a question that cannot be refused. */
export function answered<T>(reply: T | Problem): T {
  if (isProblem(reply)) throw new Error(`an account refused to say what it knows: ${reply.detail}`);
  return reply;
}

function mayViewerSee(record: StoreStatusRecord, viewer: string | undefined, relation: Relation | undefined): boolean {
  return !record.deleted && maySee(record, viewer, relation);
}

/** What the records reblog, at their places; nothing at all where none is a reblog. */
function loadOriginals(
  services: ReadServices,
  records: readonly (StoreStatusRecord | undefined)[],
): Soon<readonly (StoreStatusRecord | undefined)[]> {
  let originals: (StoreStatusRecord | undefined)[] | undefined;
  let missing: string[] | undefined;
  for (const [place, record] of records.entries()) {
    if (record?.reblogOfId === undefined) continue;
    originals ??= new Array(records.length).fill(undefined);
    const original = services.tables.peekId?.(statuses, record.reblogOfId);
    originals[place] = original;
    if (original === undefined) {
      missing ??= [];
      missing.push(record.reblogOfId);
    }
  }
  const found = originals;
  if (found === undefined) return NO_STATUSES;
  if (missing === undefined) return found;
  return soon(loadStatuses(services, [...new Set(missing)]), (loaded) => {
    const byId = new Map(loaded.map((record) => [record?.id, record]));
    for (const [place, record] of records.entries())
      if (record?.reblogOfId !== undefined) found[place] ??= byId.get(storedId(record.reblogOfId));
    return found;
  });
}
