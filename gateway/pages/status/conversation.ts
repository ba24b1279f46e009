import { Type } from '@sinclair/typebox';
import { isPublished } from '../../../actors/domain/standing.js';
import type { AccountDirect, StoreAccountRecord } from '../../../proto/gen/types.js';
import { entity, nullable } from '../../http/entity.js';
import type { Services } from '../../http/services.js';
import { type Soon, soon } from '../../paging/soon.js';
import { PLACES } from '../../viewing/judge.js';
import type { Lens } from '../../viewing/lens.js';
import { loadAccounts, type People, PeopleAtHand } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { lensOf, visibleById } from '../../viewing/visible.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';
import { Account } from '../account/account.js';
import { Status } from './status.js';

/** The REST API's Conversation. */
export const Conversation = entity('Conversation', {
  accounts: Type.Array(Account),
  id: Type.String(),
  unread: Type.Boolean(),
  last_status: Type.Optional(nullable(Status)),
});

/** A conversation as pieces of JSON. */
interface ConversationPieces {
  /** Id of its last status. */
  readonly id: string;
  readonly pieces: readonly Uint8Array[];
}

const LAST_STATUS = Buffer.from('],"last_status":');
const COMMA = Buffer.from(',');
const END = Buffer.from('}');

/** Renders conversations, each with the latest status that the viewer may see; undefined if there is none. */
export function conversationPieces(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string,
  directs: readonly AccountDirect[],
): Soon<(ConversationPieces | undefined)[]> {
  const { pages } = services;
  return soon(seenOf(services, viewer, directs), ({ latest, people }) =>
    soon(pages.pieces(services, viewer, latest), (statuses) =>
      directs.map((direct, index) => {
        const lastStatus = statuses[index];
        const id = latest[index]?.record.id;
        if (lastStatus === undefined || id === undefined) return undefined;
        const pieces: Uint8Array[] = [pages.others.conversation(direct)];
        for (const record of people[index] ?? []) {
          if (pieces.length > 1) pieces.push(COMMA);
          pieces.push(pages.account(record));
        }
        pieces.push(LAST_STATUS);
        for (const piece of lastStatus) pieces.push(piece);
        pieces.push(END);
        return { id, pieces };
      }),
    ),
  );
}

interface Seen {
  readonly latest: readonly (VisibleStatus | undefined)[];
  readonly people: readonly (readonly StoreAccountRecord[])[];
}

/** Loads the latest visible status and the participants of each conversation. */
function seenOf(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  directs: readonly AccountDirect[],
): Soon<Seen> {
  return soon(lensOf(services, viewer), (lens) =>
    soon(takingPart(services, viewer, directs), (people) =>
      soon(latestSeen(services, viewer, directs, lens), (latest) => ({ latest, people })),
    ),
  );
}

function takingPart(
  services: Pick<Services, 'tables'>,
  viewer: string,
  directs: readonly AccountDirect[],
): Soon<readonly (readonly StoreAccountRecord[])[]> {
  const atHand = new PeopleAtHand(services);
  const people = directs.map((direct) => peopleOf(direct, viewer, atHand));
  if (atHand.complete) return people;
  const named = [viewer];
  for (const { accounts } of directs) named.push(...accounts);
  return soon(loadAccounts(services, named), (records) => directs.map((direct) => peopleOf(direct, viewer, records)));
}

/**
 * Returns the participants. The viewer is a participant only in a conversation with nobody else. Source: Mastodon
 * AccountConversation#participant_accounts.
 */
function peopleOf({ accounts }: AccountDirect, viewer: string, records: People): StoreAccountRecord[] {
  const people: StoreAccountRecord[] = [];
  for (const account of accounts.length === 0 ? [viewer] : accounts) {
    const record = records.get(account);
    if (record !== undefined && isPublished(record)) people.push(record);
  }
  return people;
}

/**
 * Loads the latest visible status of each conversation. Mostly that is the last one; earlier ones are loaded only if it
 * is deleted or hidden.
 */
function latestSeen(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  directs: readonly AccountDirect[],
  lens: Lens,
): Soon<readonly (VisibleStatus | undefined)[]> {
  const last = directs.map(({ statusIds }) => statusIds[statusIds.length - 1] ?? '');
  const lookFurther = (found: (VisibleStatus | undefined)[], back: number): Soon<typeof found> => {
    const open: number[] = [];
    for (let index = 0; index < directs.length; index++) {
      if (found[index] === undefined && (directs[index]?.statusIds.length ?? 0) >= back) open.push(index);
    }
    if (open.length === 0) return found;
    const ids = open.map((index) => directs[index]?.statusIds.at(-back) ?? '');
    return soon(visibleById(services, viewer, ids, PLACES.thread, lens), (seen) => {
      for (const [place, index] of open.entries()) found[index] = seen[place];
      return lookFurther(found, back + 1);
    });
  };
  return soon(visibleById(services, viewer, last, PLACES.thread, lens), (found) => lookFurther(found, 2));
}
