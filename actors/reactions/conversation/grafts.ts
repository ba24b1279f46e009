import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { earlyReplies, knownUris } from '../../../store/federation-tables.js';
import { put, type ReadTables, remove } from '../../../store/port.js';
import { statuses } from '../../../store/tables.js';
import { GRAFTS_OF_STATUS_MAX } from '../../conversation/graft.js';
import type { ConversationCommands, ConversationEvents } from '../../conversation/slices.js';
import type { ConversationState, ParentElsewhere } from '../../conversation/state.js';
import { isOpen } from '../../conversation/thread.js';
import { isProblem } from '../../domain/problem.js';
import { uriKey } from '../../domain/text/uri-key.js';
import { isSameOrigin } from '../../federation/reading/uris.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';

type Now = Happened<ConversationState>;

/** The dependencies of replies that arrive before the status that they answer. */
interface EarlyReplyContext {
  readonly tables: Pick<ReadTables, 'get' | 'range'>;
  /** Address of the instance, without trailing slash. */
  readonly baseUrl: string;
}

/** Rows of replies that wait for one status: no more of them could be shown below it. */
const EARLY_REPLIES_MAX = GRAFTS_OF_STATUS_MAX;

const nameParent = (effects: Effects, conversation: string, named: ConversationCommands['nameParent']['in']) =>
  effects.tell('conversation', conversation, 'nameParent', named);

/**
 * Keeps the conversations of a status and of a reply that began its own informed of each other. It must follow other
 * reactions that send commands: the number of its commands depends on the state.
 */
export const conversationGrafts: Reaction<ConversationState, ConversationEvents> = {
  surface: 'grafts',
  beforeReply: false,
  on: {
    added: ({ parentConversationId }, now, effects) =>
      parentConversationId === undefined ? undefined : tellParent(effects, now, now.state.parentElsewhere),
    parentNamed: ({ gone, ...named }, now, effects) => (gone ? undefined : tellParent(effects, now, named)),
    async removed({ statusId }, { self, state }, effects) {
      const { parentElsewhere: parent, grafts } = state;
      if (parent?.statusId === statusId)
        await effects.tell('conversation', parent.conversationId, 'ungraft', {
          statusId: parent.parentId,
          replyId: statusId,
        } satisfies ConversationCommands['ungraft']['in']);
      const parentAccountId = state.statuses.get(statusId)?.record.accountId ?? '';
      const named = { parentId: statusId, parentAccountId, conversationId: self, gone: true };
      for (const { replyId } of grafts?.get(statusId) ?? [])
        await nameParent(effects, replyId, { ...named, statusId: replyId });
    },
  },
};

/** Tells the conversation of the answered status of the reply. A status that was deleted before is gone for the reply. */
async function tellParent(effects: Effects, { self, state }: Now, parent: ParentElsewhere | undefined): Promise<void> {
  const reply = state.statuses.get(parent?.statusId ?? '')?.record;
  if (parent === undefined || reply === undefined || reply.deleted) return;
  const { statusId: replyId, parentId, conversationId } = parent;
  const told: ConversationCommands['graft']['in'] = { statusId: parentId, replyId, open: isOpen(reply) };
  const answer = await effects.tell('conversation', conversationId, 'graft', told);
  if (!isProblem(answer) || answer.problem !== 'not_found') return;
  const parentAccountId = reply.inReplyToAccountId ?? '';
  const gone = { statusId: replyId, parentId, parentAccountId, conversationId, gone: true };
  await nameParent(effects, self, gone);
}

/**
 * Joins replies of other servers to the status that they answer if that arrives later. Either a reply finds the row of
 * the status, or the status finds the row of the reply: each writes its own row first. It must follow other reactions
 * that send commands: the number of its commands depends on rows.
 */
export function joinedEarlyReplies(around: EarlyReplyContext): Reaction<ConversationState, ConversationEvents> {
  return {
    surface: 'early replies',
    beforeReply: false,
    on: {
      async added({ status }, now, effects) {
        const record = now.state.statuses.get(status?.id ?? '')?.record;
        if (record?.origin === undefined || record.deleted) return;
        await awaitParent(around, now, effects, record);
        await becomeParent(around, now, effects, record);
      },
      async removed({ statusId }, { self, state }, effects) {
        const uri = state.statuses.get(statusId)?.record.remote?.inReplyToUri;
        if (uri && statusId === self) await effects.write([remove(earlyReplies, { parent: uriKey(uri), reply: self })]);
      },
    },
  };
}

/** Remembers a reply whose parent is not known, or names the parent if it has arrived since. */
async function awaitParent(
  { tables, baseUrl }: EarlyReplyContext,
  { self }: Now,
  effects: Effects,
  { id: reply, inReplyToId, remote }: StoreStatusRecord,
): Promise<void> {
  if (inReplyToId !== undefined || reply !== self || !remote?.inReplyToUri) return;
  // A status of this server does not arrive later.
  if (isSameOrigin(remote.inReplyToUri, baseUrl)) return;
  const parent = uriKey(remote.inReplyToUri);
  const waiting = await tables.range(earlyReplies, { parent }, { limit: EARLY_REPLIES_MAX });
  const isRemembered = waiting.some(({ key }) => key.reply === reply) || waiting.length < EARLY_REPLIES_MAX;
  if (isRemembered) await effects.write([put(earlyReplies, { parent, reply }, {})]);
  const known = await tables.get(knownUris, { uri: parent });
  if (known === undefined) return;
  const { id: parentId, accountId: parentAccountId } = known;
  // The row of the status is written after that of its address. It is right if the status had to begin a conversation.
  const { conversationId } = (await tables.get(statuses, { status: parentId })) ?? known;
  await nameParent(effects, self, { statusId: reply, parentId, parentAccountId, conversationId, gone: false });
  if (isRemembered) await effects.write([remove(earlyReplies, { parent, reply })]);
}

/** Names a status as the parent of the replies that arrived before it. */
async function becomeParent(
  { tables }: EarlyReplyContext,
  { self }: Now,
  effects: Effects,
  { id: parentId, accountId: parentAccountId, origin }: StoreStatusRecord,
): Promise<void> {
  const parent = uriKey(origin?.uri ?? '');
  const waiting = await tables.range(earlyReplies, { parent }, { limit: EARLY_REPLIES_MAX });
  if (waiting.length === 0) return;
  const named = { parentId, parentAccountId, conversationId: self, gone: false };
  for (const { key } of waiting) await nameParent(effects, key.reply, { ...named, statusId: key.reply });
  await effects.write(waiting.map(({ key }) => remove(earlyReplies, key)));
}
