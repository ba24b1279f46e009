import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { type FilterResult, renderFilterResult } from '../entities/filter.js';
import { loadAccounts } from '../people-at-hand.js';
import { isDropped } from '../screening/filters.js';
import { blocksDomainOf, type Screen } from '../screening/screen.js';
import type { Services } from '../services.js';
import { loadStatuses } from '../visible.js';
import type { Lens } from './lens.js';
import { isAccounts, type StreamKind } from './stream-kinds.js';

/**
 * What a viewer's filters say of a status on a stream of this kind. Undefined: the filters or the blocked domains
 * withhold it.
 * @throws Unavailable when what it reblogs cannot be read
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
  // Whose statuses come to the viewer are those of people they follow, whatever server they are of.
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
