import { idMs } from '../../actors/domain/ids.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accountStatuses, favourites } from '../../store/tables.js';
import { isPublished, isSuspended } from '../entities/account.js';
import { loadAccounts } from '../entities/status.js';
import { blocksDomainOf } from '../screening/screen.js';
import type { Services } from '../services.js';
import { accountCursor } from '../timelines/eras.js';
import { answered, loadStatuses } from '../visible.js';

/** Source: service-interface.md, limits. */
const WEIGHTS = { reply: 1, favourite: 10, reblog: 20 } as const;
/** The viewer's latest statuses and reblogs, and favourites, that are looked at. */
const LOOKED_AT_MAX = 400;
/** People who are thought of, those interacted with most first, then those active of late. */
const CANDIDATES_MAX = 400;

/** Somebody to follow, and why. */
export interface Suggested {
  readonly record: StoreAccountRecord;
  readonly source: 'past_interactions' | 'global';
}

interface Interaction {
  readonly account: string;
  readonly weight: number;
  readonly atMs: number;
}

/** Whom the viewer might want to follow, first those whose statuses they answered, favourited or reblogged. */
export async function suggestionsFor(services: Services, viewer: string, limit: number): Promise<Suggested[]> {
  const [interactions, active] = await Promise.all([interactionsOf(services, viewer), services.trends.authors()]);
  const met = new Set(interactions.map(({ account }) => account));
  const candidates = [...new Set([...met, ...active])].filter((id) => id !== viewer).slice(0, CANDIDATES_MAX);
  const [{ ends }, records, { lens, relations }] = await Promise.all([
    services.askAccount(viewer, 'endedSuggestions', { targets: candidates }).then(answered),
    loadAccounts(services, candidates),
    services.lenses.of(viewer),
  ]);
  const { screen } = relations;
  const endedMs = new Map(ends.map(({ target, atMs }) => [target, atMs]));
  const points = new Map<string, number>();
  for (const { account, weight, atMs } of interactions)
    if (atMs > (endedMs.get(account) ?? 0)) points.set(account, (points.get(account) ?? 0) + weight);
  const free = candidates.flatMap((id) => {
    const record = records.get(id);
    if (record === undefined || blocksDomainOf(screen, record)) return [];
    return !lens.knows(id) && isOpen(services, record) ? [record] : [];
  });
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

/** Anyone could follow them at once. */
function isOpen({ limits }: Services, record: StoreAccountRecord): boolean {
  if (!isPublished(record) || isSuspended(record) || record.disabled || record.profile?.locked) return false;
  return !limits.silenced(record.id);
}

async function interactionsOf(services: Services, viewer: string): Promise<Interaction[]> {
  const { tables, clock } = services;
  const all = { before: undefined, after: undefined, upwards: false };
  const [own, favourited] = await Promise.all([
    accountCursor(tables, clock, accountStatuses, 'status', viewer, all).next(LOOKED_AT_MAX),
    accountCursor(tables, clock, favourites, 'mark', viewer, all).next(LOOKED_AT_MAX),
  ]);
  const liked = await loadStatuses(
    services,
    favourited.map(({ value }) => value.statusId),
  );
  const met: Interaction[] = [];
  for (const { id, value } of own) {
    const { reblogOfAccountId, inReplyToAccountId } = value;
    if (reblogOfAccountId) met.push({ account: reblogOfAccountId, weight: WEIGHTS.reblog, atMs: idMs(id) });
    else if (inReplyToAccountId) met.push({ account: inReplyToAccountId, weight: WEIGHTS.reply, atMs: idMs(id) });
  }
  for (const [index, { id }] of favourited.entries()) {
    const account = liked[index]?.accountId;
    if (account !== undefined) met.push({ account, weight: WEIGHTS.favourite, atMs: idMs(id) });
  }
  return met.filter(({ account }) => account !== viewer);
}
