import type { AccountNotify, ConversationMarkOf, ConversationNoticed } from '../../../proto/gen/types.js';
import type { ReadTables } from '../../../store/port.js';
import { quotes, rebloggedBy, statusMarks } from '../../../store/tables.js';
import { heldMarks } from '../../conversation/marks.js';
import { NOTICED_AT_ONCE_MAX, STATE_LANE, UNMARKED_AT_ONCE_MAX } from '../../conversation/marks-part.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import type { ConversationState } from '../../conversation/state.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { tellAccount } from '../account/tells.js';

type Tables = Pick<ReadTables, 'range'>;
type Now = Happened<ConversationState>;

/**
 * Concurrent commands to other actors. Each may activate one, and all activations of a group may be in one turn of the
 * event loop: groups of 16 took 23 to 30 ms as a deletion began, groups of 8 take 12 to 19 in all.
 */
const TELLS_TOGETHER_MAX = 8;

/** Position that reading the marks of a status has reached. */
interface Place {
  readonly lane: number;
  readonly after: string;
}
const START: Place = { lane: 0, after: '0' };

/**
 * Removes the marks of a deleted status after the reply, some in each journal entry. Without `tables`, only marks in
 * the state are found. It must precede other reactions that send commands: the numbers of its commands depend on the
 * event alone, so that repeats after a crash are recognised.
 */
export function conversationUnmarking(tables: Tables | undefined): Reaction<ConversationState, ConversationEvents> {
  return {
    surface: 'marks',
    beforeReply: false,
    on: {
      async removed({ statusId, unmarked, marksLeft }, now, effects) {
        await uncountReblogs(effects, unmarked, now.atMs);
        const isSpilled = now.state.statuses.get(statusId)?.spilled === true;
        if (marksLeft) await unmarkNext(tables, effects, now, statusId, isSpilled ? START : PAST_ROWS);
      },
      async someUnmarked({ statusId, lane, after, unmarked, marksLeft }, now, effects) {
        await uncountReblogs(effects, unmarked, now.atMs);
        if (marksLeft) await unmarkNext(tables, effects, now, statusId, { lane, after });
      },
    },
  };
}

/**
 * Notifies accounts that reblogged, quoted or voted of edits and of the poll's end, some in each journal entry. It must
 * follow other reactions that send commands: the number of its commands depends on the state.
 */
export function conversationNotices(tables: Tables | undefined): Reaction<ConversationState, ConversationEvents> {
  return {
    surface: 'notices',
    beforeReply: false,
    on: {
      async edited({ statusId, number }, now, effects) {
        await noticeNext(tables, effects, now, { statusId, what: 'reblogs', edit: number }, START);
        await noticeNext(tables, effects, now, { statusId, what: 'quotes', edit: number }, START);
        await noticeHeld(effects, now, statusId, number);
      },
      async pollEnded({ statusId }, now, effects) {
        await noticeNext(tables, effects, now, { statusId, what: 'votes', edit: 0 }, START);
        await noticeHeld(effects, now, statusId, undefined);
      },
      async someNoticed({ statusId, what, edit, lane, after, noticed }, now, effects) {
        await notice(effects, now, statusId, noticed, what === 'votes' ? undefined : edit);
        await noticeNext(tables, effects, now, { statusId, what, edit }, { lane, after });
      },
    },
  };
}

const PAST_ROWS: Place = { lane: STATE_LANE, after: '' };

/** Removes these reblogs from the counts of their accounts. */
async function uncountReblogs(effects: Effects, unmarked: readonly ConversationMarkOf[], atMs: number): Promise<void> {
  await together(unmarked, async ({ id: account, mark }) => {
    if (mark?.reblogId === undefined) return;
    await tellAccount(effects, account, 'countStatus', { id: mark.reblogId, delta: -1, atMs, tags: [] });
  });
}

async function together<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += TELLS_TOGETHER_MAX)
    await Promise.all(items.slice(from, from + TELLS_TOGETHER_MAX).map(action));
}

/** Requests the removal of the next marks of the deleted status: those in rows first, then those in the state. */
async function unmarkNext(
  tables: Tables | undefined,
  effects: Effects,
  { self }: Now,
  statusId: string,
  from: Place,
): Promise<void> {
  const { rows, place } = await nextMarks(tables, statusId, from, UNMARKED_AT_ONCE_MAX);
  await effects.tell('conversation', self, 'unmarkSome', { statusId, ...place, marks: rows });
}

/** Returns the next rows, from the first lane that has any. */
async function nextMarks(
  tables: Tables | undefined,
  status: string,
  { lane, after }: Place,
  limit: number,
): Promise<{ readonly rows: readonly ConversationMarkOf[]; readonly place: Place }> {
  let from = after;
  for (let at = lane; tables !== undefined && at < STATE_LANE; at++) {
    const rows = await tables.range(statusMarks, { status, lane: at }, { after: { by: from }, limit });
    const last = rows.at(-1);
    if (last !== undefined) {
      const found = rows.map(({ key, value }) => ({ id: key.by, mark: value }));
      return { rows: found, place: { lane: at, after: last.key.by } };
    }
    from = START.after;
  }
  return { rows: [], place: PAST_ROWS };
}

interface Walk {
  readonly statusId: string;
  /** Selects the accounts: `reblogs`, `quotes` or `votes`. */
  readonly what: string;
  readonly edit: number;
}

/**
 * Continues with the accounts whose marks may be only in rows. Accounts whose marks are in the state are notified
 * separately; accounts recognise duplicates.
 */
async function noticeNext(
  tables: Tables | undefined,
  effects: Effects,
  now: Now,
  walk: Walk,
  from: Place,
): Promise<void> {
  const entry = now.state.statuses.get(walk.statusId);
  if (tables === undefined || entry?.spilled !== true || entry.record.deleted) return;
  for (let place: Place | undefined = from; place !== undefined; ) {
    const found: Found = (await FIND[walk.what]?.(tables, walk.statusId, place, entry.record.poll?.round)) ?? NOBODY;
    place = found.place;
    if (place === undefined || found.noticed.length === 0) continue;
    await effects.tell('conversation', now.self, 'noticeSome', { ...walk, ...place, noticed: found.noticed });
    return;
  }
}

interface Found {
  readonly noticed: readonly ConversationNoticed[];
  /** Undefined after the last account. */
  readonly place: Place | undefined;
}
const NOBODY: Found = { noticed: [], place: undefined };

type Find = (tables: Tables, status: string, from: Place, round: number | undefined) => Promise<Found>;

const FIND: Readonly<Record<string, Find>> = {
  async reblogs(tables, status, { after }) {
    const options = { after: { mark: after }, limit: NOTICED_AT_ONCE_MAX };
    const rows = await tables.range(rebloggedBy, { status }, options);
    const noticed = rows.map(({ value }) => ({ accountId: value.accountId }));
    return { noticed, place: placeAfter(rows.at(-1)?.key.mark) };
  },
  async quotes(tables, status, { after }) {
    const rows = await tables.range(quotes, { status }, { after: { quote: after }, limit: NOTICED_AT_ONCE_MAX });
    const noticed = rows.map(({ key, value }) => ({ accountId: value.accountId, quotingId: key.quote }));
    return { noticed, place: placeAfter(rows.at(-1)?.key.quote) };
  },
  async votes(tables, status, from, round) {
    const { rows, place } = await nextMarks(tables, status, from, NOTICED_AT_ONCE_MAX);
    const voters = rows.filter(({ mark }) => mark?.votes !== undefined && mark.votes.round === round);
    const noticed = voters.map(({ id }) => ({ accountId: id }));
    return { noticed, place: place.lane === STATE_LANE ? undefined : place };
  },
};

const placeAfter = (last: string | undefined): Place | undefined =>
  last === undefined ? undefined : { lane: 0, after: last };

/** Notifies accounts whose marks are in the state. `edit`: undefined when the poll has ended. */
async function noticeHeld(effects: Effects, now: Now, statusId: string, edit: number | undefined): Promise<void> {
  const entry = now.state.statuses.get(statusId);
  if (entry === undefined || entry.record.deleted) return;
  const { accountId, poll } = entry.record;
  const noticed: ConversationNoticed[] = edit === undefined ? [{ accountId }] : [];
  for (const [by, { reblogId, votes, quote }] of heldMarks(entry)) {
    if (edit === undefined) {
      if (votes !== undefined && votes.round === poll?.round) noticed.push({ accountId: by });
    } else if (reblogId !== undefined) noticed.push({ accountId: by });
    else if (quote?.revoked === false) noticed.push({ accountId: quote.by, quotingId: by });
  }
  await notice(effects, now, statusId, noticed, edit);
}

async function notice(
  effects: Effects,
  { self, state }: Now,
  statusId: string,
  noticed: readonly ConversationNoticed[],
  edit: number | undefined,
): Promise<void> {
  const from = state.statuses.get(statusId)?.record.accountId;
  if (from === undefined) return;
  await together(noticed, async ({ accountId, quotingId }) => {
    if (edit !== undefined && accountId === from) return;
    const type = edit === undefined ? 'poll' : quotingId === undefined ? 'update' : 'quoted_update';
    const told: AccountNotify = { type, from, statusId: quotingId ?? statusId, conversationId: self };
    await tellAccount(effects, accountId, 'notify', edit === undefined ? told : { ...told, edit });
  });
}
