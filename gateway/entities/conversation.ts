import type { AccountDirect } from '../../proto/gen/types.js';
import type { Services } from '../services.js';
import { type Relations, relationsOf, type VisibleStatus, visibleById } from '../visible.js';
import { type Account, isPublished, renderAccount } from './account.js';
import { loadAccounts, renderStatuses, type Status } from './status.js';

/** The REST API's Conversation. */
export interface Conversation {
  readonly id: string;
  readonly unread: boolean;
  readonly accounts: readonly Account[];
  readonly last_status: Status | null;
}

/** Those of which the viewer may see anything, each by the latest that they may; undefined for others. */
export async function renderConversations(
  services: Services,
  viewer: string,
  directs: readonly AccountDirect[],
): Promise<(Conversation | undefined)[]> {
  const relations = await relationsOf(services, viewer);
  const records = await loadAccounts(
    services,
    directs.flatMap(({ accounts }) => [viewer, ...accounts]),
  );
  const latest = await latestSeen(services, viewer, directs, relations);
  const statuses = await renderStatuses(services, viewer, latest);
  return directs.map(({ id, unread, accounts }, index) => {
    const lastStatus = statuses[index];
    if (lastStatus === undefined) return undefined;
    // Alone with oneself, one is who takes part. Source: Mastodon AccountConversation#participant_accounts.
    const named = accounts.length === 0 ? [viewer] : accounts;
    const shown = named.flatMap((account) => {
      const record = records.get(account);
      return record === undefined || !isPublished(record) ? [] : [renderAccount(services.instance, record)];
    });
    return { id, unread, accounts: shown, last_status: lastStatus };
  });
}

/** Mostly that is the last one: those before are only looked at where it is gone or hidden. */
async function latestSeen(
  services: Services,
  viewer: string,
  directs: readonly AccountDirect[],
  relations: Relations,
): Promise<(VisibleStatus | undefined)[]> {
  const found: (VisibleStatus | undefined)[] = directs.map(() => undefined);
  let open = directs.map((_direct, index) => index);
  for (let back = 1; open.length > 0; back++) {
    open = open.filter((index) => (directs[index]?.statusIds.length ?? 0) >= back);
    const ids = open.map((index) => directs[index]?.statusIds.at(-back) ?? '');
    const seen = await visibleById(services, viewer, ids, {
      relations,
      hideBlocked: true,
      hideMuted: true,
      context: 'thread',
    });
    for (const [place, index] of open.entries()) found[index] = seen[place];
    open = open.filter((index) => found[index] === undefined);
  }
  return found;
}
