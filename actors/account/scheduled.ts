import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { isProblem, type Problem, problem } from '../domain/problem.js';
import { invalidField } from '../domain/text/status-text.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import { type Events as MediaEvents, outdated, UPLOADS_ALARM } from './media.js';
import { APP_ALARM, type Events as AppEvents, lateTokensDue } from './own-apps.js';
import { type Events as PostEvents, type State as PostState, post } from './post.js';
import { type Ended, PURGE_ALARM, type Events as PurgeEvents, type State as PurgeState, purgeDue } from './purge.js';
import { isShutOut, type Events as SessionEvents } from './tokens.js';

export interface Commands {
  schedule: { in: P.AccountSchedule; out: P.AccountScheduledItem };
  reschedule: { in: P.AccountReschedule; out: P.AccountScheduledItem };
  unschedule: { in: P.AccountScheduledId; out: P.AccountEmpty };
  scheduledOne: { in: P.AccountScheduledId; out: P.AccountScheduledItem };
  scheduledPage: { in: P.AccountEdgeBounds; out: P.AccountScheduledPage };
  alarm: { in: P.StoreAlarmCall; out: P.AccountEmpty };
}
export interface Events {
  scheduled: P.AccountScheduled;
  rescheduled: P.AccountRescheduled;
  unscheduled: P.AccountUnscheduled;
}
export interface State extends PostState {
  /** Scheduled statuses by id, oldest first. At most SCHEDULED_MAX. */
  readonly scheduled: LazyMap<string, { readonly post: P.AccountPost; readonly dueMs: number }>;
}
type MoreEvents = Pick<MediaEvents, 'mediaRemoved' | 'mediaReleased'> &
  PurgeEvents &
  Ended &
  Pick<AppEvents, 'appTokensEnded'> &
  Pick<SessionEvents, 'tokenRevoked'> &
  PostEvents;

/** Source: Mastodon ScheduledStatus::TOTAL_LIMIT. */
export const SCHEDULED_MAX = 300;
/** Scheduled statuses due on one day. Source: Mastodon ScheduledStatus::DAILY_LIMIT. */
export const SCHEDULED_DAY_MAX = 25;
/** Source: Mastodon ScheduledStatus::MINIMUM_OFFSET. */
export const SCHEDULE_AHEAD_MS_MIN = 300_000;
/** Latest date, a hundred years ahead; nobody means a later one. */
const SCHEDULE_AHEAD_MS_MAX = 3_155_760_000_000;
const DAY_MS = 86_400_000;

const item = codec('murmuration.account.ScheduledItem');

/** Statuses to be posted later. Their text is validated when they are scheduled. */
export const scheduled: Slice<State & PurgeState, Commands, Events, MoreEvents> = {
  decide: {
    schedule(state, { post: draft, dueMs }, ctx) {
      if (draft === undefined) return problem('bad_request', 'No status');
      // Validates the status as if it were posted now.
      const refusal = post.decide.post(state, draft, ctx);
      if (isProblem(refusal)) return refusal;
      const untimely = dateProblem(state, dueMs, ctx.nowMs);
      if (untimely !== undefined) return untimely;
      if (state.scheduled.size >= SCHEDULED_MAX) return tooMany(`${SCHEDULED_MAX} scheduled posts`);
      const id = ctx.newId();
      return {
        events: [{ type: 'scheduled', id, post: draft, dueMs, atMs: ctx.nowMs }],
        reply: { id, post: draft, dueMs },
      };
    },
    reschedule(state, { id, dueMs }, { nowMs }) {
      const known = state.scheduled.get(id);
      if (known === undefined) return notFound();
      if (known.dueMs === dueMs) return { events: [], reply: { id, ...known } };
      const untimely = dateProblem(state, dueMs, nowMs, id);
      if (untimely !== undefined) return untimely;
      return { events: [{ type: 'rescheduled', id, dueMs }], reply: { id, post: known.post, dueMs } };
    },
    unschedule(state, { id }, { nowMs }) {
      return state.scheduled.has(id) ? { events: givenUp(state, id, nowMs), reply: {} } : notFound();
    },
    scheduledOne(state, { id }) {
      const known = state.scheduled.get(id);
      return known === undefined ? notFound() : { events: [], reply: { id, ...known } };
    },
    scheduledPage(state, bounds) {
      const all = Array.from(state.scheduled.keys(), (edgeId) => ({ edgeId }));
      const { edges, more } = edgePage(all, bounds);
      const items: P.AccountScheduledItem[] = [];
      for (const { edgeId: id } of edges) {
        const known = state.scheduled.get(id);
        if (known !== undefined) items.push({ id, post: known.post, dueMs: known.dueMs });
      }
      return { events: [], reply: { items, more } };
    },
    /**
     * Posts a scheduled status that is due. An alarm from before it was rescheduled is ignored. Handles the alarms of
     * uploads, suspensions and deleted applications, too.
     */
    alarm(state, call, ctx) {
      const { what, atMs } = call;
      if (what === PURGE_ALARM) return purgeDue(state, call, ctx);
      if (what.startsWith(APP_ALARM)) return { events: lateTokensDue(state, what), reply: {} };
      if (what === UPLOADS_ALARM) return { events: outdated(state, ctx.nowMs, 0), reply: {} };
      const known = state.scheduled.get(what);
      if (known === undefined || atMs !== known.dueMs) return { events: [], reply: {} };
      if (ctx.nowMs < known.dueMs) return problem('unavailable', 'It is not time yet');
      // An account that may not post now does not post later either.
      if (isShutOut(state)) return { events: givenUp(state, what, ctx.nowMs), reply: {} };
      const posted = post.decide.post(withoutHold(state, what), known.post, ctx);
      if (isProblem(posted)) return { events: givenUp(state, what, ctx.nowMs), reply: {} };
      return { events: [...posted.events, { type: 'unscheduled', id: what }], reply: {} };
    },
  },
  apply: {
    scheduled(state, { id, post: draft, dueMs }) {
      if (draft === undefined) return;
      state.scheduled.set(id, { post: draft, dueMs });
      for (const upload of draft.media?.ids ?? []) if (state.uploads.has(upload)) state.held.set(upload, id);
    },
    rescheduled(state, { id, dueMs }) {
      const known = state.scheduled.get(id);
      if (known !== undefined) state.scheduled.set(id, { ...known, dueMs });
    },
    unscheduled(state, { id }) {
      state.scheduled.delete(id);
      for (const [upload, holder] of state.held) if (holder === id) state.held.delete(upload);
    },
  },
  commands: {
    schedule: { in: codec('murmuration.account.Schedule'), out: item, repeats: 'keyed', local: true },
    reschedule: { in: codec('murmuration.account.Reschedule'), out: item, repeats: 'idempotent', local: true },
    unschedule: {
      in: codec('murmuration.account.ScheduledId'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: true,
    },
    scheduledOne: { in: codec('murmuration.account.ScheduledId'), out: item, repeats: 'query', local: true },
    scheduledPage: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.ScheduledPage'),
      repeats: 'query',
      local: true,
    },
    alarm: {
      in: codec('murmuration.store.AlarmCall'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'answers',
    },
  },
  events: {
    scheduled: { codec: codec('murmuration.account.Scheduled'), invalidates: false },
    rescheduled: { codec: codec('murmuration.account.Rescheduled'), invalidates: false },
    unscheduled: { codec: codec('murmuration.account.Unscheduled'), invalidates: false, forgets: true },
  },
};

/** Returns the events that discard a scheduled status. Its uploads can be attached to another status for a day. */
function givenUp(state: Readonly<State>, id: string, nowMs: number): Recorded<Events & MoreEvents>[] {
  const media = [...state.held].flatMap(([upload, holder]) => (holder === id ? (state.uploads.get(upload) ?? []) : []));
  const released = { type: 'mediaReleased' as const, media, atMs: nowMs };
  return media.length === 0 ? [{ type: 'unscheduled', id }] : [{ type: 'unscheduled', id }, released];
}

/** Returns the state without the reservations of uploads for this status. */
function withoutHold<S extends State>(state: Readonly<S>, id: string): Readonly<S> {
  return { ...state, held: new Map([...state.held].filter(([, holder]) => holder !== id)) };
}

function dateProblem(state: Readonly<State>, dueMs: number, nowMs: number, except?: string): Problem | undefined {
  const refused = (why: string) => invalidField('scheduled_at', 'Scheduled at', 'ERR_INVALID', why);
  if (!(dueMs >= nowMs + SCHEDULE_AHEAD_MS_MIN)) return refused('must be in the future');
  if (dueMs > nowMs + SCHEDULE_AHEAD_MS_MAX) return refused('must be within 100 years');
  const day = Math.floor(dueMs / DAY_MS);
  let sameDay = 0;
  for (const [id, known] of state.scheduled)
    if (id !== except && Math.floor(known.dueMs / DAY_MS) === day) sameDay += 1;
  return sameDay >= SCHEDULED_DAY_MAX ? tooMany(`${SCHEDULED_DAY_MAX} scheduled posts for one day`) : undefined;
}

const tooMany = (what: string) =>
  problem('invalid', `Validation failed: You have exceeded the limit of ${what}`, {
    base: [{ error: 'ERR_INVALID', description: `You have exceeded the limit of ${what}` }],
  });
const notFound = () => problem('not_found', 'Record not found');
