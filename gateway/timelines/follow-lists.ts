import { isSuspended } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { followers } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import { accountCursor } from '../paging/eras.js';
import { type Page, readPage } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { answered, lensOf } from '../viewing/visible.js';

/** One entry of a list of followers or followed accounts. */
export interface Edge {
  readonly accountId: string;
}

/** Returns true if the viewer may not see whom the account follows and who follows it. */
export function hidesEdges(
  services: Pick<Services, 'lenses' | 'limits'>,
  viewer: string | undefined,
  record: StoreAccountRecord,
): Soon<boolean> {
  if (isSuspended(record)) return true;
  if (viewer === record.id) return false;
  if (record.profile?.hideCollections === true) return true;
  return soon(lensOf(services, viewer), (lens) => lens.relation(record.id).blockedBy);
}

/** Reads a page of followers, newest first. */
export function readFollowers(
  services: Pick<Services, 'tables' | 'clock'>,
  account: string,
  bounds: PageBounds,
): Soon<Page<Edge>> {
  const cursor = accountCursor(services.tables, services.clock, followers, 'edge', account, bounds);
  return readPage(cursor, bounds, (rows) => rows.map((row) => row.value));
}

/** Reads followed accounts from the actor: its rows are sorted by account, but the list is sorted by time. */
export async function readFollowing(
  services: Pick<Services, 'askAccount'>,
  account: string,
  bounds: PageBounds,
): Promise<Page<Edge>> {
  const { edges, more } = answered(await services.askAccount(account, 'following', bounds));
  const items = edges.map((edge) => ({ accountId: edge.account }));
  return { items, newest: edges[0]?.edgeId, oldest: edges.at(-1)?.edgeId, more };
}
