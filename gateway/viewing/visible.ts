import { storedId } from '../../actors/domain/ids.js';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { maySee, type Relation } from '../../actors/domain/visibility.js';
import type { AccountRelation, StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import { accounts, statuses } from '../../store/tables.js';
import { type Soon, soon } from '../paging/soon.js';
import { type FilterContext, type FilterMatch, isDropped } from './filters.js';
import { loadAccounts, type People, PeopleAtHand } from './people-at-hand.js';
import { quotesAny, type SeenQuote, withQuotes } from './quoted.js';
import { askSoon, type ReadServices } from './read-services.js';
import type { Relations } from './relations.js';
import { blocksDomainOf, type Screen } from './screen.js';
import { isPublished } from './standing.js';

/** A status that its viewer may see. Only this file creates it, and renderers accept nothing else. */
export interface VisibleStatus {
  readonly record: StoreStatusRecord;
  /** The reblogged status, visible too. */
  readonly original: StoreStatusRecord | undefined;
  /** The viewer's filters that match the status; absent if there are none. */
  readonly filtered?: readonly FilterMatch[] | undefined;
  /** The quote of the status, or of the status that it reblogs, as the viewer may see it; absent if there is none. */
  readonly quote?: SeenQuote | undefined;
}

export interface VisibleOptions {
  /** Relations to all authors involved. Absent: the viewer's actor is queried once. */
  readonly relations?: Relations;
  /** Also leaves out accounts that the viewer blocks, for lists; single statuses stay visible. */
  readonly hideBlocked?: boolean;
  /** Leaves out accounts that the viewer mutes, for timelines. */
  readonly hideMuted?: boolean;
  /** Leaves out accounts of blocked servers even if the context would not. */
  readonly hideDomains?: boolean;
  /**
   * Place in which the statuses are shown, for the viewer's filters. Absent: single statuses, to which all filters
   * apply.
   */
  readonly context?: FilterContext;
}

/** Targets of one `relations` query: bounds its message to some 100 KB. */
const RELATION_TARGETS_MAX = 2_000;
const NO_RELATIONS: Relations = () => undefined;
const NO_STATUSES: readonly (StoreStatusRecord | undefined)[] = [];

/**
 * Returns a status without its content: the answer to a viewer who undoes a mark on a status that they may no longer
 * see.
 */
export function withoutContent(record: StoreStatusRecord): VisibleStatus {
  const blank = { text: '', html: '', spoilerText: '', mentions: [], tags: [], appName: undefined, quote: undefined };
  return { record: { ...record, ...blank, favourites: 0, reblogs: 0, replies: 0 }, original: undefined };
}

/** Returns the refusal for missing and for invisible objects alike. */
export const notFound = (): Problem => problem('not_found', 'Record not found');

/** Converts stored statuses to visible ones; undefined if the viewer may not see one. There is no other way. */
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

/** Adds the quotes of the statuses. */
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

/**
 * Returns true if the author's server is blocked and the place shows statuses of others that the viewer did not choose
 * one by one. Followed accounts stay visible.
 */
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

/** Applies the viewer's filters to a status. Returns undefined if a filter hides it in the context. */
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

/** Loads visible statuses by id, in the ids' order. */
export function visibleById(
  services: ReadServices,
  viewer: string | undefined,
  ids: readonly string[],
  options: VisibleOptions = {},
): Soon<(VisibleStatus | undefined)[]> {
  return soon(loadStatuses(services, ids), (records) => visibleStatuses(services, viewer, records, options));
}

/** Returns one status, or a refusal that does not reveal the reason. */
export function visibleStatus(
  services: ReadServices,
  viewer: string | undefined,
  id: string,
): Soon<VisibleStatus | Problem> {
  return soon(visibleById(services, viewer, [id]), (found) => found[0] ?? notFound());
}

/** Loads records by id, in the ids' order. */
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

/** Returns the account, unless it is unknown, unconfirmed or not approved. */
export function publishedAccount({ tables }: ReadServices, id: string): Soon<StoreAccountRecord | Problem> {
  const found = tables.peekId?.(accounts, id) ?? tables.get(accounts, { account: storedId(id) });
  return soon(found, (record) => (record !== undefined && isPublished(record) ? record : notFound()));
}

/** Returns the viewer's current relations. An anonymous viewer has none. */
export function relationsOf(services: ReadServices, viewer: string | undefined): Soon<Relations> {
  return viewer === undefined ? NO_RELATIONS : soon(services.lenses.of(viewer), ({ relations }) => relations);
}

/** Loads the viewer's full relations, by account. */
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

/** Returns the reply to a query that cannot be refused. @throws Error if it was refused */
export function answered<T>(reply: T | Problem): T {
  if (isProblem(reply)) throw new Error(`the account refused a query: ${reply.detail}`);
  return reply;
}

function mayViewerSee(record: StoreStatusRecord, viewer: string | undefined, relation: Relation | undefined): boolean {
  return !record.deleted && maySee(record, viewer, relation);
}

/** Loads the originals of reblogs, at the places of their reblogs; empty if none is a reblog. */
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
