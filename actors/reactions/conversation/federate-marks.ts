import type { StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import { accounts } from '../../../store/tables.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import type { ConversationState } from '../../conversation/state.js';
import { accountUri, isLocal, statusUri } from '../../domain/addresses.js';
import { type Outgoing, queueActivity } from '../../federation/delivery/queue.js';
import { announceActivity } from '../../federation/documents/publishing.js';
import { inboxesOfFollowersOf, sharedInboxOf } from '../../federation/outgoing/audience.js';
import { likeActivity } from '../../federation/outgoing/like.js';
import { undoActivity } from '../../federation/outgoing/undo.js';
import { voteActivity } from '../../federation/outgoing/vote.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import type { FederationContext } from './federate-statuses.js';

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
 * Tells other servers what local accounts do with statuses: the author's server, and those of followers of reblogs. It
 * must follow other reactions that
 * send commands: the number of its commands depends on rows.
 */
export function federatedMarks(context: FederationContext): Reaction<ConversationState, ConversationEvents> {
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      favourited: ({ statusId, by, markId }, now, effects) =>
        tell(context, now, effects, { statusId, by, isSpread: false }, ({ actor, object }) => [
          likeActivity(actor, object, markId),
        ]),
      unfavourited: ({ statusId, by, markId }, now, effects) =>
        tell(context, now, effects, { statusId, by, isSpread: false }, ({ actor, object }) => [
          undoActivity(likeActivity(actor, object, markId)),
        ]),
      reblogged: ({ statusId, by, reblogId, visibility, atMs }, now, effects) =>
        tell(context, now, effects, { statusId, by, isSpread: true }, (parties) => [
          announceActivity({ ...parties, id: announceId(parties.actor, reblogId), visibility, atMs }),
        ]),
      unreblogged: ({ statusId, by, reblogId }, now, effects) =>
        tell(context, now, effects, { statusId, by, isSpread: true }, ({ actor, object }) => [
          undoActivity({ id: announceId(actor, reblogId), type: 'Announce', actor, object }),
        ]),
      voted({ statusId, by, choices }, now, effects) {
        const options = now.state.statuses.get(statusId)?.record.poll?.options ?? [];
        return tell(context, now, effects, { statusId, by, isSpread: false }, ({ actor, object: question, author }) =>
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

interface Marked {
  readonly statusId: string;
  readonly by: string;
  /** True if the followers of the account learn of it, too. */
  readonly isSpread: boolean;
}

/**
 * Queues activities of a local account for the author of another server's status, and for followers. Returns undefined at
 * once if there is nobody elsewhere to tell, as for nearly all marks.
 */
function tell(
  context: FederationContext,
  now: Now,
  effects: Effects,
  marked: Marked,
  render: Render,
): Promise<void> | undefined {
  const record = now.state.statuses.get(marked.statusId)?.record;
  if (record === undefined) return undefined;
  if (isLocal(record)) {
    if (!marked.isSpread) return undefined;
    const local = context.tables.peekId?.(accounts, marked.by);
    if (local !== undefined && local.followedElsewhere !== true) return undefined;
  }
  return send(context, now, effects, record, marked, render);
}

async function send(
  { baseUrl, tables }: FederationContext,
  now: Now,
  effects: Effects,
  record: StoreStatusRecord,
  { by, isSpread }: Marked,
  render: Render,
): Promise<void> {
  const [local, author] = await Promise.all([accountOf(tables, by), accountOf(tables, record.accountId)]);
  if (local === undefined || author === undefined || !isLocal(local)) return;
  const followed = isSpread && local.followedElsewhere === true;
  const inboxes = new Set(followed ? await inboxesOfFollowersOf(tables, by) : []);
  if (author.remote?.gone === false) inboxes.add(isSpread ? sharedInboxOf(author.remote) : author.remote.inbox);
  if (inboxes.size === 0) return;
  const actor = accountUri(baseUrl, local);
  const parties = { actor, object: statusUri(baseUrl, record, author), author: accountUri(baseUrl, author) };
  // One order for all that the account does with the status, so that a Like and its Undo arrive in this order.
  const outgoing = { inboxes: [...inboxes], signer: { id: by, uri: actor }, order: `${by} ${record.id}` };
  for (const [place, activity] of render(parties).entries())
    await queueActivity(tables, now, effects, { activity, ...outgoing }, place);
}

const accountOf = (tables: FederationContext['tables'], account: string): Promise<StoreAccountRecord | undefined> =>
  tables.get(accounts, { account });
