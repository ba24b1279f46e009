import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';

export interface Commands {
  enqueue: { in: P.PushEnqueue; out: P.PushEmpty };
  report: { in: P.PushReport; out: P.PushEmpty };
  /** Resumes after a pause. The runtime handles alarms of other subjects. */
  alarm: { in: P.StoreAlarmCall; out: P.PushEmpty };
}
export interface Events {
  queued: P.PushQueued;
  reported: P.PushReported;
  resumed: P.PushResumed;
}
export interface WaitingPush {
  /** Type of the notification. */
  readonly kind: string;
  /** Time of the notification. */
  readonly atMs: number;
}
export interface State {
  /** The owner of the subscription; empty before the first push. */
  account: string;
  /** Pushes by the id of their notification, oldest first. At most WAITING_MAX. */
  readonly waiting: LazyMap<string, WaitingPush>;
  /** Failed attempts in a row. */
  failures: number;
  /** No attempt before this time; 0: no pause. */
  pausedUntilMs: number;
  /** The newest entry whose attempt is recorded. */
  reportedSeq: number;
}

/**
 * Waiting pushes of one subscription, some 60 bytes each: a snapshot stays below 100 KB. An owner who was away for a day
 * reads the list of notifications instead of a thousand alerts. The oldest is dropped.
 */
export const WAITING_MAX = 1_000;
/** Subject of the alarm at the end of a pause. */
export const RETRY_ALARM = 'retry';

export const noPushes = (): State => ({
  account: '',
  waiting: new LazyMap(),
  failures: 0,
  pausedUntilMs: 0,
  reportedSeq: 0,
});

const empty = codec('murmuration.push.Empty');

/**
 * The pushes of one subscription that its push service has not accepted yet. The state holds no text, key or token:
 * each attempt reads the notification and the subscription anew, so it sees what has been hidden or revoked since.
 */
export const pushQueue: Slice<State, Commands, Events> = {
  decide: {
    enqueue({ waiting }, push) {
      if (waiting.has(push.notificationId)) return { events: [], reply: {} };
      const droppedId = waiting.size < WAITING_MAX ? undefined : waiting.keys().next().value;
      return { events: [{ type: 'queued', ...queuedOf(push), droppedId }], reply: {} };
    },
    report({ reportedSeq }, { seq, settled, pauseMs }, { nowMs }) {
      if (seq <= reportedSeq) return { events: [], reply: {} };
      const pausedUntilMs = pauseMs === undefined ? 0 : Math.ceil(nowMs + pauseMs);
      return { events: [{ type: 'reported', seq, settled, pausedUntilMs }], reply: {} };
    },
    alarm({ waiting, pausedUntilMs }, { what, atMs }, { nowMs }) {
      // An alarm of an earlier pause is ignored.
      if (what !== RETRY_ALARM || atMs !== pausedUntilMs || waiting.size === 0) return { events: [], reply: {} };
      if (nowMs < pausedUntilMs) return problem('unavailable', 'It is not time yet');
      return { events: [{ type: 'resumed' }], reply: {} };
    },
  },
  apply: {
    queued(state, { account, notificationId, kind, atMs, droppedId }) {
      state.account = account;
      if (droppedId !== undefined) state.waiting.delete(droppedId);
      state.waiting.set(notificationId, { kind, atMs });
    },
    reported(state, { seq, settled, pausedUntilMs }) {
      for (const id of settled) state.waiting.delete(id);
      state.reportedSeq = seq;
      state.pausedUntilMs = pausedUntilMs;
      state.failures = pausedUntilMs === 0 ? 0 : state.failures + 1;
    },
    resumed(state) {
      // The clock of another node may be behind the one that ended the pause.
      state.pausedUntilMs = 0;
    },
  },
  commands: {
    enqueue: { in: codec('murmuration.push.Enqueue'), out: empty, repeats: 'idempotent', local: true },
    report: { in: codec('murmuration.push.Report'), out: empty, repeats: 'idempotent', local: true },
    alarm: { in: codec('murmuration.store.AlarmCall'), out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    queued: { codec: codec('murmuration.push.Queued'), invalidates: false },
    reported: { codec: codec('murmuration.push.Reported'), invalidates: false },
    resumed: { codec: codec('murmuration.push.Resumed'), invalidates: false },
  },
};

const queuedOf = ({ account, notificationId, kind, atMs }: P.PushEnqueue) => ({ account, notificationId, kind, atMs });
