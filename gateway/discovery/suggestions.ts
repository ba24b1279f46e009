import { idMs } from '../../actors/domain/ids.js';
import { isMemorial, isPublished, isShutOut } from '../../actors/domain/standing.js';
import type { StoreAccountRecord, StoreAccountStatusRow, StoreStatusRef } from '../../proto/gen/types.js';
import { accountStatuses, favourites } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import type { Entry } from '../paging/cursor.js';
import { type Soon, soon, together } from '../paging/soon.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { askSoon, type ReadServices } from '../viewing/read-services.js';
import { blocksDomainOf } from '../viewing/screen.js';
import { answered, loadStatuses } from '../viewing/visible.js';

/** Source: service-interface.md, limits. */
const WEIGHTS = { reply: 1, favourite: 10, reblog: 20 } as const;
/** The viewer's latest statuses and reblogs, and favourites, that are read. */
const LOOKED_AT_MAX = 400;
/** Candidates: accounts with the most interactions first, then recently active ones. */
const CANDIDATES_MAX = 400;

/** A suggested account, and the reason. */
export interface Suggested {
  readonly record: StoreAccountRecord;
  readonly source: 'past_interactions' | 'global';
}

interface Interaction {
  readonly account: string;
  readonly weight: number;
  readonly atMs: number;
}

/**
 * Returns accounts that the viewer might follow, beginning with authors whose statuses they replied to, favourited or
 * reblogged.
 */
export async function suggestionsFor(
  services: ReadServices & Pick<Services, 'latestRows' | 'trends'>,
  viewer: string,
  limit: number,
): Promise<Suggested[]> {
  const [interactions, active] = await Promise.all([interactionsOf(services, viewer), services.trends.authors()]);
  const met = new Set(interactions.map(({ account }) => account));
  const candidates = [...new Set([...met, ...active])].filter((id) => id !== viewer).slice(0, CANDIDATES_MAX);
  const [{ ends }, records, { lens }] = await Promise.all([
    soon(askSoon(services, viewer, 'endedSuggestions', { targets: candidates }), answered),
    loadAccounts(services, candidates),
    services.lenses.of(viewer),
  ]);
  const endedMs = new Map(ends.map(({ target, atMs }) => [target, atMs]));
  const points = new Map<string, number>();
  for (const { account, weight, atMs } of interactions)
    if (atMs > (endedMs.get(account) ?? 0)) points.set(account, (points.get(account) ?? 0) + weight);
  const free: StoreAccountRecord[] = [];
  for (const id of candidates) {
    const record = records.get(id);
    if (record === undefined || blocksDomainOf(lens.screen, record)) continue;
    if (!lens.knows(id) && isOpen(services, record)) free.push(record);
  }
  const past = free
    .filter(({ id }) => points.has(id))
    .sort((a, b) => (points.get(b.id) ?? 0) - (points.get(a.id) ?? 0) || b.lastStatusAtMs - a.lastStatusAtMs)
    .map((record): Suggested => ({ record, source: 'past_interactions' }));
  const others = free
    .filter(({ id }) => !points.has(id) && !endedMs.has(id))
    .sort((a, b) => b.lastStatusAtMs - a.lastStatusAtMs || b.followers - a.followers)
    .map((record): Suggested => ({ record, source: 'global' }));
  return [...past, ...others].slice(0, limit);
}

/** Returns true if anybody can follow the account without a request. */
function isOpen({ limits }: Pick<Services, 'limits'>, record: StoreAccountRecord): boolean {
  if (!isPublished(record) || isShutOut(record) || isMemorial(record) || record.profile?.locked) return false;
  return !limits.silenced(record.id, record.domain);
}

/** Cached interactions, valid while both lists are the same objects: the author of a status never changes. */
interface CachedInteractions {
  readonly favourited: readonly Entry<StoreStatusRef>[];
  readonly interactions: readonly Interaction[];
}

/** Interactions by the list of the viewer's own statuses. */
const cached = new WeakMap<readonly Entry<StoreAccountStatusRow>[], CachedInteractions>();

function interactionsOf(
  services: Pick<Services, 'latestRows' | 'tables'>,
  viewer: string,
): Soon<readonly Interaction[]> {
  const { latestRows } = services;
  const lists = together<[readonly Entry<StoreAccountStatusRow>[], readonly Entry<StoreStatusRef>[]]>([
    latestRows.of(accountStatuses, 'status', viewer, LOOKED_AT_MAX),
    latestRows.of(favourites, 'mark', viewer, LOOKED_AT_MAX),
  ]);
  return soon(lists, ([own, favourited]) => {
    const known = cached.get(own);
    if (known?.favourited === favourited) return known.interactions;
    const marked = favourited.slice(0, LOOKED_AT_MAX);
    const ids = marked.map(({ value }) => value.statusId);
    return soon(loadStatuses(services, ids), (liked) => {
      const met: Interaction[] = [];
      for (const { id, value } of own.slice(0, LOOKED_AT_MAX)) {
        const { reblogOfAccountId, inReplyToAccountId } = value;
        if (reblogOfAccountId) met.push({ account: reblogOfAccountId, weight: WEIGHTS.reblog, atMs: idMs(id) });
        else if (inReplyToAccountId) met.push({ account: inReplyToAccountId, weight: WEIGHTS.reply, atMs: idMs(id) });
      }
      for (const [index, { id }] of marked.entries()) {
        const account = liked[index]?.accountId;
        if (account !== undefined) met.push({ account, weight: WEIGHTS.favourite, atMs: idMs(id) });
      }
      const interactions = met.filter(({ account }) => account !== viewer);
      cached.set(own, { favourited, interactions });
      return interactions;
    });
  });
}
