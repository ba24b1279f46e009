import { codec } from '../../proto/codec.js';
import type { NodeAccountTopic, StoreStatusRecord } from '../../proto/gen/types.js';
import { accountTopic, RELATIONS_TOPIC, STATUSES_TOPIC } from '../../transport/bus.js';
import { type AccountEvents, type AccountState, relationEvents } from '../account/slices.js';
import { heldMark } from '../conversation/marks.js';
import type { ConversationEvents } from '../conversation/slices.js';
import type { ConversationState } from '../conversation/state.js';
import { isLocal } from '../domain/addresses.js';
import { idMs } from '../domain/ids.js';
import { isListed, isOldNews } from '../domain/public.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';
import type { Publication, Publications } from '../timelines/publications.js';
import { writeChange, writeLate } from './changed-rows.js';
import { reblogRecord } from './conversation/reblog-record.js';

/**
 * Age of a new status above which its publication is recorded. Positions of streams name every id of the last three
 * seconds at fifty statuses a second.
 */
const LATE_MS = 1_000;
/** Age above which it is not: no stream is resumed from so long ago. Old statuses of other servers have such ids. */
const LATE_MS_MAX = 3_600_000;

const accountMessage = codec('murmuration.node.AccountTopic');
const statusMessage = codec('murmuration.node.StatusTopic');

function publishAccount(effects: Effects, account: string, message: Omit<NodeAccountTopic, 'accountId'>): void {
  const { mayRepeat } = effects;
  effects.publish(accountTopic(account), accountMessage.encode({ accountId: account, mayRepeat, ...message }));
}

const relationsChanged = (_event: object, { self }: Happened<AccountState>, effects: Effects) => {
  const message = accountMessage.encode({ accountId: self, kind: 'relations' });
  // For connected clients of the account, and for all nodes that cache its relations.
  effects.publish(accountTopic(self), message);
  effects.publish(RELATIONS_TOPIC, message);
};

const filtersChanged = (event: object, happened: Happened<AccountState>, effects: Effects) => {
  relationsChanged(event, happened, effects);
  publishAccount(effects, happened.self, { kind: 'filters_changed' });
};

/** Runs after the rows are written, so that receivers find them in the store. */
export const accountStream: Reaction<AccountState, AccountEvents> = {
  surface: 'stream',
  beforeReply: true,
  on: {
    ...Object.fromEntries(relationEvents.map((type) => [type, relationsChanged])),
    filterSaved: filtersChanged,
    filterRemoved: filtersChanged,
    tokenRevoked({ tokenHash }, { self }, effects) {
      publishAccount(effects, self, { kind: 'token_revoked', tokenHash });
    },
    directHeard({ id, hidden }, { self, state }, effects) {
      if (hidden) return;
      for (const direct of state.directs.values())
        if (direct.id === id) publishAccount(effects, self, { kind: 'conversation', direct });
    },
    notified(event, { self }, effects) {
      // A filtered notification appears only in lists.
      if (event.filtered === true) return;
      const { id, kind, from, statusId, atMs, report, warning, severance, collectionId } = event;
      const notification = { type: kind, from, statusId, atMs, report, warning, severance, collectionId };
      publishAccount(effects, self, { kind: 'notification', notificationId: id, notification });
    },
    notificationRequestsAccepted(_event, { self }, effects) {
      publishAccount(effects, self, { kind: 'notifications_merged' });
    },
  },
};

function publishStatus(
  effects: Effects,
  kind: 'update' | 'edit' | 'delete',
  status: StoreStatusRecord,
  how: Publication = {},
): void {
  const { id, accountId, visibility, mentions } = status;
  const remote = isLocal(status) ? undefined : true;
  const onlyTo = visibility === 'direct' ? [accountId, ...mentions.map((mention) => mention.accountId)] : [];
  effects.publish(
    STATUSES_TOPIC,
    statusMessage.encode({ kind, status, id, accountId, onlyTo, listed: isListed(status), remote, ...how }),
  );
}

/**
 * Publishes a new status or reblog. One that its last owner may have published is published again; if it did not, or if
 * the effects were slow, streams that were resumed meanwhile find the row of a late status.
 */
function publishNew(
  effects: Effects,
  status: StoreStatusRecord | undefined,
  published: Pick<Publications, 'has' | 'isPassed'>,
): Promise<void> | undefined {
  if (status === undefined) return undefined;
  if (effects.mayRepeat && published.has(status.id) !== false) {
    publishStatus(effects, 'update', status, { mayRepeat: true });
    return undefined;
  }
  const ageMs = effects.stampMs() - idMs(status.id);
  if ((!effects.mayRepeat && ageMs < LATE_MS) || ageMs > LATE_MS_MAX) {
    publishStatus(effects, 'update', status);
    return undefined;
  }
  return publishLate(effects, status, published);
}

/** Publishes a late status after its row, which says if floors of streams may have passed it. */
async function publishLate(
  effects: Effects,
  status: StoreStatusRecord,
  published: Pick<Publications, 'isPassed'>,
): Promise<void> {
  const aboveFloors = !published.isPassed(status.id);
  await writeLate(effects, status, aboveFloors);
  // A slow write lets floors pass it.
  if (aboveFloors && published.isPassed(status.id)) return publishLate(effects, status, published);
  publishStatus(effects, 'update', status, { late: true, ...(aboveFloors && { aboveFloors }) });
}

/** Publishes a status that looks different than before. */
function editSeen(
  { statusId }: { readonly statusId: string },
  { state }: Happened<ConversationState>,
  effects: Effects,
): Promise<void> | undefined {
  const record = state.statuses.get(statusId)?.record;
  return record?.deleted === false ? publishChange(effects, 'edit', record) : undefined;
}

/** Publishes to open streams, and records the change for those that are resumed later. */
async function publishChange(
  effects: Effects,
  kind: 'edit' | 'delete',
  status: StoreStatusRecord | undefined,
): Promise<void> {
  if (status === undefined) return;
  await writeChange(effects, status, kind === 'delete');
  publishStatus(effects, kind, status);
}

/** Runs after the rows are written, as `accountStream` does. */
export const conversationStream = (
  published: Pick<Publications, 'has' | 'isPassed'>,
): Reaction<ConversationState, ConversationEvents> => ({
  surface: 'stream',
  beforeReply: true,
  on: {
    added({ status }, { state }, effects) {
      const record = state.statuses.get(status?.id ?? '')?.record;
      const isNews = record?.deleted === false && !isOldNews(record);
      return isNews ? publishNew(effects, record, published) : undefined;
    },
    edited: editSeen,
    pollReported: editSeen,
    cardSet: editSeen,
    quoteSettled: editSeen,
    quoteAttached: editSeen,
    // Clients show the status as a reply from now on. Source: Mastodon ThreadResolveWorker, which distributes it again.
    parentNamed: (named, happened, effects) => (named.gone ? undefined : editSeen(named, happened, effects)),
    removed({ statusId, tags, media, mentions, reblogs }, { state }, effects) {
      const record = state.statuses.get(statusId)?.record;
      // Includes the hashtags, media, mentions and reblogs by which streams have shown the status.
      return publishChange(effects, 'delete', record && { ...record, tags, media, mentions, reblogs });
    },
    reblogged({ statusId, by, reblogId, visibility, atMs }, { self, state }, effects) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined || entry.record.deleted || heldMark(entry, by)?.reblogId !== reblogId) return undefined;
      const reblog = reblogRecord(self, entry.record, by, { id: reblogId, visibility, atMs });
      return publishNew(effects, reblog, published);
    },
    unreblogged({ statusId, by, reblogId }, { self, state, atMs }, effects) {
      const original = state.statuses.get(statusId)?.record;
      const reblog = { id: reblogId, visibility: original?.visibility ?? 'private', atMs };
      return publishChange(effects, 'delete', reblogRecord(self, original, by, reblog));
    },
  },
});
