import type { StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import type { Tables } from '../../../store/port.js';
import { accounts } from '../../../store/tables.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import type { ConversationState } from '../../conversation/state.js';
import { accountUri, isLocal, statusUri } from '../../domain/addresses.js';
import { type Outgoing, queueActivity } from '../../federation/delivery/queue.js';
import { announceActivity } from '../../federation/documents/publishing.js';
import { likeActivity } from '../../federation/outgoing/like.js';
import { undoActivity } from '../../federation/outgoing/undo.js';
import { voteActivity } from '../../federation/outgoing/vote.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';

/** The dependencies of activities about statuses. */
export interface FederatedMarksContext {
  readonly baseUrl: string;
  readonly tables: Pick<Tables, 'get'>;
}

type Now = Happened<ConversationState>;

/** The parties of an activity about another server's status. */
interface Parties {
  /** Address of the local account. */
  readonly actor: string;
  /** Address of the status, and of its author. */
  readonly object: string;
  readonly author: string;
}
type Render = (parties: Parties) => readonly Outgoing['activity'][];

/**
 * Tells the author's server what local accounts do with a status of another server. It must follow other reactions that
 * send commands: the number of its commands depends on rows.
 */
export function federatedMarks(context: FederatedMarksContext): Reaction<ConversationState, ConversationEvents> {
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      favourited: ({ statusId, by, markId }, now, effects) =>
        tellAuthor(context, now, effects, { statusId, by }, ({ actor, object }) => [
          likeActivity(actor, object, markId),
        ]),
      unfavourited: ({ statusId, by, markId }, now, effects) =>
        tellAuthor(context, now, effects, { statusId, by }, ({ actor, object }) => [
          undoActivity(likeActivity(actor, object, markId)),
        ]),
      reblogged: ({ statusId, by, reblogId, visibility, atMs }, now, effects) =>
        tellAuthor(context, now, effects, { statusId, by }, (parties) => [
          announceActivity({ ...parties, id: announceId(parties.actor, reblogId), visibility, atMs }),
        ]),
      unreblogged: ({ statusId, by, reblogId }, now, effects) =>
        tellAuthor(context, now, effects, { statusId, by }, ({ actor, object }) => [
          undoActivity({ id: announceId(actor, reblogId), type: 'Announce', actor, object }),
        ]),
      voted({ statusId, by, choices }, now, effects) {
        const options = now.state.statuses.get(statusId)?.record.poll?.options ?? [];
        return tellAuthor(context, now, effects, { statusId, by }, ({ actor, object: question, author }) =>
          choices.flatMap((choice) => {
            const name = options[choice]?.title;
            const part = `${statusId}-${now.seq}-${choice}`;
            return name === undefined ? [] : voteActivity({ actor, question, author, name, part, atMs: now.atMs });
          }),
        );
      },
    },
  };
}

const announceId = (actor: string, reblogId: string): string => `${actor}/statuses/${reblogId}/activity`;

/** Queues activities of a local account for the author of another server's status. Other accounts and statuses: none. */
function tellAuthor(
  context: FederatedMarksContext,
  now: Now,
  effects: Effects,
  { statusId, by }: { readonly statusId: string; readonly by: string },
  render: Render,
): Promise<void> | undefined {
  const record = now.state.statuses.get(statusId)?.record;
  return record === undefined || isLocal(record) ? undefined : send(context, now, effects, record, by, render);
}

async function send(
  { baseUrl, tables }: FederatedMarksContext,
  now: Now,
  effects: Effects,
  record: StoreStatusRecord,
  by: string,
  render: Render,
): Promise<void> {
  const [local, author] = await Promise.all([accountOf(tables, by), accountOf(tables, record.accountId)]);
  if (local === undefined || !isLocal(local) || author?.remote === undefined || author.remote.gone) return;
  const actor = accountUri(baseUrl, local);
  const parties = { actor, object: statusUri(baseUrl, record, author), author: accountUri(baseUrl, author) };
  const inboxes = [author.remote.inbox];
  // One order for all that the account does with the status, so that a Like and its Undo arrive in this order.
  const order = `${by} ${record.id}`;
  for (const [place, activity] of render(parties).entries())
    await queueActivity(tables, now, effects, { activity, inboxes, signer: { id: by, uri: actor }, order }, place);
}

const accountOf = (tables: Pick<Tables, 'get'>, account: string): Promise<StoreAccountRecord | undefined> =>
  tables.get(accounts, { account });
