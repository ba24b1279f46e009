import type { AccountDirect, StoreAccountRecord } from '../../proto/gen/types.js';
import { arrayOf } from '../cards/status-pages.js';
import { loadAccounts } from '../people-at-hand.js';
import type { Relations } from '../relations.js';
import type { Services } from '../services.js';
import { type Soon, soon } from '../soon.js';
import { relationsOf, type VisibleStatus, visibleById } from '../visible.js';
import { type Account, isPublished, renderAccount } from './account.js';
import { renderStatuses, type Status } from './status.js';

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
export function conversationPieces(
  services: Services,
  viewer: string,
  directs: readonly AccountDirect[],
): Soon<(readonly Uint8Array[] | undefined)[]> {
  const { pages } = services;
  return soon(seenOf(services, viewer, directs), ({ latest, people }) =>
    soon(pages.pieces(services, viewer, latest), (statuses) =>
      directs.map((direct, index) => {
        const lastStatus = statuses[index];
        if (lastStatus === undefined) return undefined;
        const pieces = [pages.others.conversation(direct), ACCOUNTS];
        const shown = (people[index] ?? []).map((record) => [pages.account(record)]);
        arrayOf(shown, pieces).push(LAST_STATUS, ...lastStatus, END);
        return pieces;
      }),
    ),
  );
}

interface Seen {
  readonly latest: readonly (VisibleStatus | undefined)[];
  readonly people: readonly StoreAccountRecord[][];
}

/** The latest of each that the viewer may see, and who takes part. */
function seenOf(services: Services, viewer: string, directs: readonly AccountDirect[]): Soon<Seen> {
  const named = [viewer];
  for (const { accounts } of directs) named.push(...accounts);
  return soon(relationsOf(services, viewer), (relations) =>
    soon(loadAccounts(services, named), (records) => {
      const people = directs.map(({ accounts }) => takingPart(records, accounts.length === 0 ? [viewer] : accounts));
      return soon(latestSeen(services, viewer, directs, relations), (latest) => ({ latest, people }));
    }),
  );
}

/** Alone with oneself, one is who takes part. Source: Mastodon AccountConversation#participant_accounts. */
function takingPart(records: ReadonlyMap<string, StoreAccountRecord>, accounts: readonly string[]) {
  const people: StoreAccountRecord[] = [];
  for (const account of accounts) {
    const record = records.get(account);
    if (record !== undefined && isPublished(record)) people.push(record);
  }
  return people;
}

/** Mostly that is the last one: those before are only looked at where it is gone or hidden. */
function latestSeen(
  services: Services,
  viewer: string,
  directs: readonly AccountDirect[],
  relations: Relations,
): Soon<(VisibleStatus | undefined)[]> {
  const options = { relations, hideBlocked: true, hideMuted: true, context: 'thread' } as const;
  const found: (VisibleStatus | undefined)[] = directs.map(() => undefined);
  const look = (back: number, all: readonly number[]): Soon<typeof found> => {
    const open = all.filter((index) => (directs[index]?.statusIds.length ?? 0) >= back);
    if (open.length === 0) return found;
    const ids = open.map((index) => directs[index]?.statusIds.at(-back) ?? '');
    return soon(visibleById(services, viewer, ids, options), (seen) => {
      for (const [place, index] of open.entries()) found[index] = seen[place];
      return look(
        back + 1,
        open.filter((index) => found[index] === undefined),
      );
    });
  };
  return look(
    1,
    directs.map((_direct, index) => index),
  );
}
