import type { AccountDirect } from '../../proto/gen/types.js';
import { arrayOf } from '../cards/status-pages.js';
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
  const { latest, people } = await seenOf(services, viewer, directs);
  const statuses = await renderStatuses(services, viewer, latest);
  return directs.map(({ id, unread }, index) => {
    const lastStatus = statuses[index];
    if (lastStatus === undefined) return undefined;
    const shown = (people[index] ?? []).map((record) => renderAccount(services.instance, record));
    return { id, unread, accounts: shown, last_status: lastStatus };
  });
}

const ACCOUNTS = Buffer.from(',"accounts":');
const LAST_STATUS = Buffer.from(',"last_status":');
const END = Buffer.from('}');

/** The same as pieces of JSON. */
export async function conversationPieces(
  services: Services,
  viewer: string,
  directs: readonly AccountDirect[],
): Promise<(readonly Uint8Array[] | undefined)[]> {
  const { latest, people } = await seenOf(services, viewer, directs);
  const statuses = await services.pages.pieces(services, viewer, latest);
  return directs.map(({ id, unread }, index) => {
    const lastStatus = statuses[index];
    if (lastStatus === undefined) return undefined;
    const head = Buffer.from(JSON.stringify({ id, unread }).slice(0, -1));
    const accounts = arrayOf((people[index] ?? []).map((record) => [services.pages.account(record)]));
    return [head, ACCOUNTS, ...accounts, LAST_STATUS, ...lastStatus, END];
  });
}

/** The latest of each that the viewer may see, and who takes part. */
async function seenOf(services: Services, viewer: string, directs: readonly AccountDirect[]) {
  const relations = await relationsOf(services, viewer);
  const records = await loadAccounts(
    services,
    directs.flatMap(({ accounts }) => [viewer, ...accounts]),
  );
  const people = directs.map(({ accounts }) => {
    // Alone with oneself, one is who takes part. Source: Mastodon AccountConversation#participant_accounts.
    const named = accounts.length === 0 ? [viewer] : accounts;
    return named.flatMap((account) => {
      const record = records.get(account);
      return record === undefined || !isPublished(record) ? [] : [record];
    });
  });
  return { latest: await latestSeen(services, viewer, directs, relations), people };
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
