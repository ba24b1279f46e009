import type { AccountPurgeItem, AccountPurgeSome, StoreStatusRef } from '../../../proto/gen/types.js';
import type { ReadTables } from '../../../store/port.js';
import { accountStatuses, bookmarks, favourites, featuredIn, followers, statuses } from '../../../store/tables.js';
import { PURGE_ALARM, PURGED_AT_ONCE_MAX, SUSPENSION_KEPT_MS } from '../../account/purge.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { eraOfId, eraOfMs } from '../../domain/ids.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { eraPages } from '../era-pages.js';
import { tellAccount } from './tells.js';

type Tables = Pick<ReadTables, 'range' | 'getMany'>;
type Now = Happened<AccountState>;

/** Sets the alarm for the time when a suspension can no longer be undone. */
export const purgeAlarms: Reaction<AccountState, AccountEvents> = {
  surface: 'purge alarms',
  beforeReply: true,
  on: {
    moderated({ action }, { state }, effects) {
      const { suspendedAtMs } = state.moderation;
      if (action !== 'suspend' || suspendedAtMs === 0) return undefined;
      return effects.setAlarm(suspendedAtMs + SUSPENSION_KEPT_MS, PURGE_ALARM);
    },
  },
};

/**
 * Deletes everything that the account wrote and did, in steps after the reply. A journal entry records the items before
 * they are deleted: after a crash the commands are repeated in the same order, as deduplication requires.
 */
export function accountPurge(tables: Tables): Reaction<AccountState, AccountEvents> {
  const goOn = async (phase: Phase, after: string, now: Now, effects: Effects) => {
    const some = await nextOf(tables, now, phase, after);
    if (some !== undefined) await tellAccount(effects, now.self, 'purgeSome', some);
  };
  return {
    surface: 'purge',
    beforeReply: false,
    on: {
      async purged({ recipient }, now, effects) {
        if (recipient !== undefined) {
          await effects.tell('archive', now.self, 'discard', {});
          await effects.tell('imports', now.self, 'discard', {});
        }
        await goOn(PHASES[0], '', now, effects);
      },
      async somePurged({ phase, items, after }, now, effects) {
        const known = PHASES.find((one) => one === phase);
        if (known === undefined) return;
        for (const item of items) await UNDO[known](item, now.self, effects);
        await goOn(known, after, now, effects);
      },
    },
  };
}

const PHASES = [
  'statuses',
  'reblogs',
  'favourites',
  'bookmarks',
  'uploads',
  'followers',
  'requests',
  'following',
  'featured',
  'notifications',
] as const;
type Phase = (typeof PHASES)[number];

/** Commands that undo one item. An item that is already deleted answers with a problem, which is ignored. */
const UNDO: { readonly [P in Phase]: (item: AccountPurgeItem, self: string, effects: Effects) => Promise<unknown> } = {
  statuses: ({ id, conversationId }, by, effects) =>
    effects.tell('conversation', conversationId, 'remove', { statusId: id, by, discardMedia: true }),
  reblogs: ({ id, conversationId }, by, effects) =>
    effects.tell('conversation', conversationId, 'unreblog', { statusId: id, by }),
  favourites: ({ id, conversationId }, by, effects) =>
    effects.tell('conversation', conversationId, 'unfavourite', { statusId: id, by }),
  bookmarks: ({ id, conversationId }, by, effects) =>
    effects.tell('conversation', conversationId, 'unbookmark', { statusId: id, by }),
  uploads: ({ id }, self, effects) => tellAccount(effects, self, 'removeMedia', { id }),
  followers: ({ id, edgeId }, self, effects) =>
    tellAccount(effects, self, 'dropFollower', { follower: id, edgeId: edgeId ?? '' }),
  requests: ({ id }, self, effects) => tellAccount(effects, self, 'rejectFollow', { follower: id }),
  following: ({ id }, self, effects) => tellAccount(effects, self, 'unfollow', { target: id }),
  featured: ({ id, edgeId, owner }, self, effects) =>
    tellAccount(effects, owner ?? '', 'leaveCollection', { id, item: edgeId ?? '', by: self }),
  notifications: (_item, self, effects) => tellAccount(effects, self, 'clearNotifications', {}),
};

interface Found {
  readonly items: readonly AccountPurgeItem[];
  /** Position of the next search; undefined: there are no more. */
  readonly after: string | undefined;
}
const NONE: Found = { items: [], after: undefined };

/** Returns the next items of this phase or the next phase that has any. */
async function nextOf(tables: Tables, now: Now, phase: Phase, from: string): Promise<AccountPurgeSome | undefined> {
  for (let [place, after] = [PHASES.indexOf(phase), from]; place < PHASES.length; ) {
    const kind = PHASES[place] as Phase;
    const found = await FIND[kind](tables, now, after);
    if (found.items.length > 0) return { phase: kind, items: found.items, after: found.after ?? LAST_ID };
    if (found.after === undefined) [place, after] = [place + 1, ''];
    else after = found.after;
  }
  return undefined;
}

/** Greater than all ids. */
const LAST_ID = '9'.repeat(18);

const FIND: { readonly [P in Phase]: (tables: Tables, now: Now, after: string) => Promise<Found> | Found } = {
  statuses: (tables, now, after) => ownStatuses(tables, now, after, false),
  reblogs: (tables, now, after) => ownStatuses(tables, now, after, true),
  favourites: (tables, now, after) => marked(tables, now, after, favourites),
  bookmarks: (tables, now, after) => marked(tables, now, after, bookmarks),
  uploads: (_tables, { state }, after) =>
    ofState(
      [...state.uploads.keys()].map((id) => [id, id]),
      after,
    ),
  async followers(tables, now, after) {
    const rows = await eraPages(erasOf(now, after), after, PURGED_AT_ONCE_MAX, (era, edge, limit) =>
      tables.range(followers, { account: now.self, era }, { after: { edge }, limit }),
    );
    const items = rows.map(({ key, value }) => ({ id: value.accountId, conversationId: '', edgeId: key.edge }));
    return { items, after: rows.at(-1)?.key.edge };
  },
  requests: (_tables, { state }, after) =>
    ofState(
      Array.from(state.requests, ([follower, { edgeId }]) => [follower, edgeId]),
      after,
    ),
  following: (_tables, { state }, after) =>
    ofState(
      Array.from(state.following, ([target, { edgeId }]) => [target, edgeId]),
      after,
    ),
  async featured(tables, now, after) {
    const rows = await eraPages(erasOf(now, after), after, PURGED_AT_ONCE_MAX, (era, item, limit) =>
      tables.range(featuredIn, { account: now.self, era }, { after: { item }, limit }),
    );
    const items = rows.map(({ key, value: { collectionId, owner } }) => {
      return { id: collectionId, conversationId: '', edgeId: key.item, owner };
    });
    return { items, after: rows.at(-1)?.key.item };
  },
  notifications: (_tables, _now, after) =>
    after === '' ? { items: [{ id: '', conversationId: '' }], after: LAST_ID } : NONE,
};

/** Returns the eras from the account's creation, or from `after`, up to its deletion. */
function erasOf({ self, atMs }: Now, after: string): readonly [number, number] {
  return [eraOfId(after === '' ? self : after), eraOfMs(atMs) + 1];
}

async function ownStatuses(tables: Tables, now: Now, after: string, isReblog: boolean): Promise<Found> {
  const rows = await eraPages(erasOf(now, after), after, PURGED_AT_ONCE_MAX, (era, status, limit) =>
    tables.range(accountStatuses, { account: now.self, era }, { after: { status }, limit }),
  );
  const wanted = rows.filter(({ value }) => (value.reblogOfId !== undefined) === isReblog);
  const ids = wanted.map(({ key, value }) => value.reblogOfId ?? key.status);
  return { items: await inConversations(tables, ids), after: rows.at(-1)?.key.status };
}

async function marked(
  tables: Tables,
  now: Now,
  after: string,
  table: typeof favourites | typeof bookmarks,
): Promise<Found> {
  const rows = await eraPages(erasOf(now, after), after, PURGED_AT_ONCE_MAX, (era, mark, limit) =>
    tables.range(table, { account: now.self, era }, { after: { mark }, limit }),
  );
  const ids = rows.map(({ value }: { readonly value: StoreStatusRef }) => value.statusId);
  return { items: await inConversations(tables, ids), after: rows.at(-1)?.key.mark };
}

async function inConversations(tables: Tables, ids: readonly string[]): Promise<AccountPurgeItem[]> {
  if (ids.length === 0) return [];
  const records = await tables.getMany(
    statuses,
    ids.map((status) => ({ status })),
  );
  return ids.flatMap((id, index) => {
    const record = records[index];
    return record === undefined ? [] : [{ id, conversationId: record.conversationId }];
  });
}

/** Pages through items of the state. Each is `[id, sort key]`. */
function ofState(all: readonly (readonly [string, string])[], after: string): Found {
  const left = all.filter(([, order]) => order > after).sort(([, a], [, b]) => (a < b ? -1 : 1));
  const some = left.slice(0, PURGED_AT_ONCE_MAX);
  return { items: some.map(([id]) => ({ id, conversationId: '' })), after: some.at(-1)?.[1] };
}
