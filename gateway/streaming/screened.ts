import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { type FilterResult, renderFilterResult } from '../entities/account/filter.js';
import type { Services } from '../http/services.js';
import { isDropped } from '../viewing/filters.js';
import type { Lens } from '../viewing/lens.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { blocksDomainOf, type Screen } from '../viewing/screen.js';
import { loadStatuses } from '../viewing/visible.js';
import { isAccounts, type StreamKind } from './stream-kinds.js';

/**
 * Returns the viewer's filters that match a status on a stream of this kind. Undefined: filters or blocked domains hide
 * the status.
 * @throws Unavailable when the original of a reblog cannot be read
 */
export async function screened(
  services: Services,
  viewer: string,
  lens: Lens,
  screen: Screen | undefined,
  kind: StreamKind,
  record: StoreStatusRecord,
): Promise<readonly FilterResult[] | undefined> {
  if (screen === undefined) return [];
  const original = record.reblogOfId === undefined ? undefined : (await loadStatuses(services, [record.reblogOfId]))[0];
  const context = isAccounts(kind) ? 'home' : 'public';
  const author = (original ?? record).accountId;
  // Statuses on a home stream are by followed accounts, which stay visible whatever their server.
  const isChosen = context === 'home' && original === undefined;
  if (screen.domains !== undefined && !isChosen) {
    const account = (await loadAccounts(services, [author])).get(author);
    if (blocksDomainOf(screen, account) && (context === 'home' || !lens.hears(author))) return undefined;
  }
  if (screen.filters === undefined) return [];
  const matches = screen.filters.matches(original ?? record, context);
  if (isDropped(matches, context) && record.accountId !== viewer) return undefined;
  return matches.map(renderFilterResult);
}
