import { storedId } from '../../actors/domain/ids.js';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { asLimited, isPublished } from '../../actors/domain/standing.js';
import type { AccountRelation, StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import { accounts, statuses } from '../../store/tables.js';
import { type Soon, soon } from '../paging/soon.js';
import { judged, PLACES, type Place, quoteState } from './judge.js';
import { anonymousLens, type Lens } from './lens.js';
import { loadAccounts, type People, PeopleAtHand } from './people-at-hand.js';
import { quotesAny, withQuotes } from './quoted.js';
import { askSoon, type ReadServices } from './read-services.js';
import { withoutRejected } from './rejected-media.js';
import type { VisibleStatus } from './visible-status.js';

/** Targets of one `relations` query: bounds its message to some 100 KB. */
const RELATION_TARGETS_MAX = 2_000;
const NO_STATUSES: readonly (StoreStatusRecord | undefined)[] = [];

/** Returns the refusal for missing and for invisible objects alike. */
export const notFound = (): Problem => problem('not_found', 'Record not found');

/** Converts stored statuses to visible ones; undefined if the viewer does not see one. `known` is the viewer's lens. */
export function visibleStatuses(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  records: readonly (StoreStatusRecord | undefined)[],
  at: Place = PLACES.single,
  known?: Lens,
): Soon<(VisibleStatus | undefined)[]> {
  return soon(loadOriginals(services, records), (originals) =>
    soon(known ?? lensOf(services, viewer), (lens) =>
      soon(allJudged(services, lens, records, originals, at), (all) =>
        quotesAny(all) ? quoting(services, lens, all, at) : all,
      ),
    ),
  );
}

/** Judges one status, without its quote. */
export function judgedStatus(
  services: Pick<ReadServices, 'tables'>,
  lens: Lens,
  record: StoreStatusRecord,
  at: Place,
): Soon<VisibleStatus | undefined> {
  const records = [record];
  return soon(loadOriginals(services, records), (originals) =>
    soon(allJudged(services, lens, records, originals, at), ([seen]) => seen),
  );
}

/** Judges statuses. Accounts are loaded only for viewers who block servers. */
function allJudged(
  services: Pick<ReadServices, 'tables'>,
  lens: Lens,
  records: readonly (StoreStatusRecord | undefined)[],
  originals: readonly (StoreStatusRecord | undefined)[],
  at: Place,
): Soon<(VisibleStatus | undefined)[]> {
  const judgedWith = (people: People | undefined) =>
    records.map((record, index) => record && judged(record, originals[index], lens, at, people));
  if (lens.screen?.domains === undefined) return judgedWith(undefined);
  const atHand = new PeopleAtHand(services);
  const all = judgedWith(atHand);
  return atHand.complete ? all : soon(loadAccounts(services, authorsOf(all)), judgedWith);
}

/** Adds the quotes of the statuses. */
function quoting(
  services: Pick<ReadServices, 'tables'>,
  lens: Lens,
  seen: readonly (VisibleStatus | undefined)[],
  { context }: Place,
): Soon<(VisibleStatus | undefined)[]> {
  return withQuotes(seen, {
    load: (ids) =>
      soon(loadStatuses(services, ids), (found) =>
        found.map((record) => record && withoutRejected(record, lens.limits.domains)),
      ),
    authors: (ids) => loadAccounts(services, ids),
    stateOf: (record, author) => quoteState(record, author, lens),
    filtered: (record) => lens.screen?.filters?.matches(record, context) ?? [],
  });
}

function authorsOf(seen: readonly (VisibleStatus | undefined)[]): string[] {
  const ids: string[] = [];
  for (const status of seen) if (status !== undefined) ids.push((status.original ?? status.record).accountId);
  return ids;
}

/** Loads visible statuses by id, in the ids' order. */
export function visibleById(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  ids: readonly string[],
  at: Place = PLACES.single,
  known?: Lens,
): Soon<(VisibleStatus | undefined)[]> {
  return soon(loadStatuses(services, ids), (records) => visibleStatuses(services, viewer, records, at, known));
}

/** Returns one status, or a refusal that does not reveal the reason. */
export function visibleStatus(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  id: string,
): Soon<VisibleStatus | Problem> {
  return soon(visibleById(services, viewer, [id]), (found) => found[0] ?? notFound());
}

/** Loads records by id, in the ids' order. */
export function loadStatuses(
  services: Pick<ReadServices, 'tables'>,
  ids: readonly string[],
): Soon<(StoreStatusRecord | undefined)[]> {
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

/**
 * Returns the account, unless it is unknown, unconfirmed or not approved. An account of a suspended server appears as a
 * suspended one.
 */
export function publishedAccount(
  { tables, limits }: Pick<ReadServices, 'tables' | 'limits'>,
  id: string,
): Soon<StoreAccountRecord | Problem> {
  const found = tables.peekId?.(accounts, id) ?? tables.get(accounts, { account: storedId(id) });
  return soon(found, (record) =>
    record !== undefined && isPublished(record) ? asLimited(record, limits.domains) : notFound(),
  );
}

/** Returns the viewer's current lens. @throws Unavailable when the viewer's actor cannot be reached */
export function lensOf(services: Pick<ReadServices, 'lenses' | 'limits'>, viewer: string | undefined): Soon<Lens> {
  return viewer === undefined ? anonymousLens(services.limits) : soon(services.lenses.of(viewer), ({ lens }) => lens);
}

/** Loads the viewer's full relations, by account. */
export function relationsTo(
  services: Pick<ReadServices, 'askAccount' | 'accountNow'>,
  viewer: string,
  accountIds: readonly string[],
): Soon<ReadonlyMap<string, AccountRelation>> {
  const targets = [...new Set(accountIds)].filter((id) => id !== viewer);
  return targetsFrom(services, viewer, targets, 0, new Map());
}

function targetsFrom(
  services: Pick<ReadServices, 'askAccount' | 'accountNow'>,
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

/** Loads the originals of reblogs, at the places of their reblogs; empty if none is a reblog. */
function loadOriginals(
  services: Pick<ReadServices, 'tables'>,
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
