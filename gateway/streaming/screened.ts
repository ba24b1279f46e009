import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { renderFilterResult } from '../entities/filter.js';
import { loadAccounts } from '../people-at-hand.js';
import { isDropped } from '../screening/filters.js';
import { blocksDomainOf, type Screen } from '../screening/screen.js';
import type { Services } from '../services.js';
import { loadStatuses } from '../visible.js';
import type { Lens } from './lens.js';
import type { StreamEvent } from './stream-event.js';
import type { StreamKind } from './stream-kinds.js';

/**
 * A status' event as a viewer with filters or blocked domains gets it: as it is, with what the filters say, or not at all.
 * @throws Unavailable when what it reblogs cannot be read
 */
export async function screenedEvent(
  services: Services,
  viewer: string,
  lens: Lens,
  screen: Screen | undefined,
  kind: StreamKind,
  event: StreamEvent,
  record: StoreStatusRecord,
): Promise<StreamEvent | undefined> {
  if (screen === undefined) return event;
  const original = record.reblogOfId === undefined ? undefined : (await loadStatuses(services, [record.reblogOfId]))[0];
  const context = kind.home || kind.list !== undefined ? 'home' : 'public';
  const author = (original ?? record).accountId;
  // Whose statuses come to the viewer are those of people they follow, whatever server they are of.
  const isChosen = context === 'home' && original === undefined;
  if (screen.domains !== undefined && !isChosen) {
    const account = (await loadAccounts(services, [author])).get(author);
    if (blocksDomainOf(screen, account) && (context === 'home' || !lens.hears(author))) return undefined;
  }
  if (screen.filters === undefined) return event;
  const matches = screen.filters.matches(original ?? record, context);
  if (matches.length === 0) return event;
  if (isDropped(matches, context) && record.accountId !== viewer) return undefined;
  return event.with(JSON.stringify({ filtered: matches.map(renderFilterResult) }));
}
