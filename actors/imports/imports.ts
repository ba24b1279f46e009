import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';

export interface Commands {
  /**
   * Announces the file of an import, before it is stored. The file is removed if its import does not begin within
   * UPLOAD_MS_MAX, so that none stays for ever when a node dies in between.
   */
  expect: { in: P.ImportsExpect; out: P.ImportsEmpty };
  /** Begins an import, unless one of the kind runs. The result of the last one of the kind is removed. */
  begin: { in: P.ImportsBegin; out: P.ImportsEmpty };
  /** Sent by the actor to itself after a step. */
  advance: { in: P.ImportsAdvance; out: P.ImportsEmpty };
  /** Ends an import that runs. Its finished rows stay. */
  end: { in: P.ImportsEnd; out: P.ImportsEmpty };
  tellImports: { in: P.ImportsEmpty; out: P.ImportsTold };
  /** Removes everything of a deleted account. */
  discard: { in: P.ImportsEmpty; out: P.ImportsEmpty };
  /** Goes on after a pause, or removes a result that has expired. */
  alarm: { in: P.StoreAlarmCall; out: P.ImportsEmpty };
}
export interface Events {
  expected: P.ImportsExpected;
  begun: P.ImportsBegun;
  advanced: P.ImportsAdvanced;
  resumed: P.ImportsResumed;
  ended: P.ImportsEnded;
  removed: P.ImportsRemoved;
}
export interface State {
  /** The last import of each kind. */
  readonly jobs: LazyMap<string, P.ImportsJob>;
  /** Files whose imports have not begun, each with the time at which it is removed. Absent: none. */
  expected?: LazyMap<string, number>;
}

/** Kinds of lists with an import of their own. Bounds the state: an import of another kind is refused. */
export const IMPORT_KINDS = ['follows', 'blocks', 'mutes', 'domain_blocks', 'bookmarks', 'lists'] as const;
/** Pause after the person has had too many requests, or a part of the server is unavailable. A rate limit lasts 5 minutes. */
export const PAUSE_MS = 60_000;
/** Longest time of an import. 10,000 rows, each with a look-up, take six hours under the usual rate limit. */
export const IMPORT_MS_MAX = 3 * 86_400_000;
/** Time for which the result of an import can be read. Source: Mastodon, the retention of bulk imports. */
export const RESULT_KEPT_MS = 7 * 86_400_000;

/** Time between the announcement of a file and the begin of its import: the store writes a file within seconds. */
export const UPLOAD_MS_MAX = 3_600_000;
/** Announced files. They are more than one of each kind only after nodes have died. */
export const EXPECTED_MAX = 4 * IMPORT_KINDS.length;

const NOTHING = { events: [], reply: {} };
const FIRST = { step: 0, place: 0, failed: [], removed: 0, stuck: 0, how: '', endedMs: 0, pausedUntilMs: 0 };
/** Suffixes of alarms; each follows the kind. */
const RESUME = '/resume';
const EXPIRY = '/expiry';
/** Prefix of alarms of announced files; the name follows. */
const UPLOAD = 'upload/';

export const noImports = (): State => ({ jobs: new LazyMap() });

/** Returns true while the import has not ended. */
export const isRunning = ({ endedMs }: P.ImportsJob): boolean => endedMs === 0;

const ended = (kind: string, how: string, atMs: number): Recorded<Events> => ({ type: 'ended', kind, how, atMs });
const removed = (jobs: readonly P.ImportsJob[], files = jobs.map(({ file }) => file)) => ({
  events: [{ type: 'removed' as const, kinds: jobs.map(({ kind }) => kind), files }] satisfies Recorded<Events>[],
  reply: {},
});

/** Returns why an import of the kind cannot begin; undefined if it can. */
function refusal({ jobs }: Readonly<State>, kind: string): Problem | undefined {
  if (!IMPORT_KINDS.some((one) => one === kind)) return problem('bad_request', 'No such list');
  const last = jobs.get(kind);
  if (last !== undefined && isRunning(last)) return problem('conflict', 'An import of this list is running');
  return undefined;
}

const empty = codec('murmuration.imports.Empty');

/** Imports of one person's lists: how far each is, and what became of it. */
export const imports: Slice<State, Commands, Events> = {
  decide: {
    expect(state, { kind, file }, { nowMs }) {
      const refused = refusal(state, kind);
      if (refused !== undefined) return refused;
      const { expected } = state;
      if (expected?.has(file) === true) return NOTHING;
      if ((expected?.size ?? 0) >= EXPECTED_MAX) return problem('limit_reached', 'Too many imports, please try later');
      return { events: [{ type: 'expected', file, untilMs: nowMs + UPLOAD_MS_MAX }], reply: {} };
    },
    begin(state, command, { nowMs }) {
      const { kind, file } = command;
      const last = state.jobs.get(kind);
      if (last?.file === file) return NOTHING;
      const refused = refusal(state, kind);
      if (refused !== undefined) return refused;
      const former = last === undefined ? {} : { formerFile: last.file };
      return { events: [{ type: 'begun', ...command, ...former, atMs: nowMs }], reply: {} };
    },
    advance({ jobs }, { kind, file, step, progress }, { nowMs }) {
      if (progress === undefined) return problem('bad_request', 'No progress');
      const job = jobs.get(kind);
      if (job?.file !== file || !isRunning(job) || job.step !== step) return NOTHING;
      const advanced: Recorded<Events> = { type: 'advanced', kind, file, step, progress, atMs: nowMs };
      const isDone = progress.cleared && progress.place >= job.rows;
      return { events: isDone ? [advanced, ended(kind, 'done', nowMs)] : [advanced], reply: {} };
    },
    end({ jobs }, { kind, file, how }, { nowMs }) {
      const job = jobs.get(kind);
      return job?.file === file && isRunning(job) ? { events: [ended(kind, how, nowMs)], reply: {} } : NOTHING;
    },
    tellImports: ({ jobs }) => ({ events: [], reply: { jobs: [...jobs.values()] } }),
    // The files of imports that have not begun stay until their alarms, because they may be stored later than this.
    discard: ({ jobs }) => (jobs.size === 0 ? NOTHING : removed([...jobs.values()])),
    alarm({ jobs, expected }, { what, atMs }, { nowMs }) {
      if (what.startsWith(UPLOAD)) {
        const name = what.slice(UPLOAD.length);
        if (expected?.get(name) !== atMs) return NOTHING;
        return nowMs < atMs ? problem('unavailable', 'It is not time yet') : removed([], [name]);
      }
      const [kind = ''] = what.split('/');
      const job = jobs.get(kind);
      if (job === undefined || atMs !== alarmOf(job)?.atMs || alarmOf(job)?.what !== what) return NOTHING;
      if (nowMs < atMs) return problem('unavailable', 'It is not time yet');
      if (what.endsWith(EXPIRY)) return removed([job]);
      const isOverdue = nowMs - job.begunMs > IMPORT_MS_MAX;
      return {
        events: [isOverdue ? ended(kind, 'overdue', nowMs) : { type: 'resumed', kind, step: job.step }],
        reply: {},
      };
    },
  },
  apply: {
    expected(state, { file, untilMs }) {
      state.expected ??= new LazyMap();
      state.expected.set(file, untilMs);
    },
    begun({ jobs, expected }, { kind, file, rows, replaces, atMs }) {
      expected?.delete(file);
      jobs.set(kind, { ...FIRST, kind, file, rows, replaces, cleared: !replaces, begunMs: atMs });
    },
    advanced({ jobs }, { kind, step, progress, atMs }) {
      const job = jobs.get(kind);
      if (job === undefined || progress === undefined) return;
      const { busy, failed, ...rest } = progress;
      const pausedUntilMs = busy ? atMs + PAUSE_MS : 0;
      jobs.set(kind, { ...job, ...rest, step: step + 1, failed: [...job.failed, ...failed], pausedUntilMs });
    },
    resumed({ jobs }, { kind }) {
      const job = jobs.get(kind);
      if (job !== undefined) jobs.set(kind, { ...job, pausedUntilMs: 0 });
    },
    ended({ jobs }, { kind, how, atMs }) {
      const job = jobs.get(kind);
      if (job !== undefined) jobs.set(kind, { ...job, how, endedMs: atMs, pausedUntilMs: 0 });
    },
    removed({ jobs, expected }, { kinds, files }) {
      for (const kind of kinds) jobs.delete(kind);
      for (const file of files) expected?.delete(file);
    },
  },
  commands: {
    expect: { in: codec('murmuration.imports.Expect'), out: empty, repeats: 'idempotent', local: true },
    begin: { in: codec('murmuration.imports.Begin'), out: empty, repeats: 'idempotent', local: true },
    advance: { in: codec('murmuration.imports.Advance'), out: empty, repeats: 'idempotent', local: true },
    end: { in: codec('murmuration.imports.End'), out: empty, repeats: 'idempotent', local: true },
    tellImports: { in: empty, out: codec('murmuration.imports.Told'), repeats: 'query', local: true },
    discard: { in: empty, out: empty, repeats: 'idempotent', local: true },
    alarm: { in: codec('murmuration.store.AlarmCall'), out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    expected: { codec: codec('murmuration.imports.Expected'), invalidates: false },
    begun: { codec: codec('murmuration.imports.Begun'), invalidates: false },
    advanced: { codec: codec('murmuration.imports.Advanced'), invalidates: false },
    resumed: { codec: codec('murmuration.imports.Resumed'), invalidates: false },
    ended: { codec: codec('murmuration.imports.Ended'), invalidates: false },
    removed: { codec: codec('murmuration.imports.Removed'), invalidates: false, forgets: true },
  },
};

/** Returns the alarm at which an announced file is removed if its import has not begun. */
export const uploadAlarm = (file: string): string => UPLOAD + file;

/** Returns the alarm for which an import waits: the end of its pause, or the expiry of its result. */
export function alarmOf(job: P.ImportsJob): { readonly atMs: number; readonly what: string } | undefined {
  if (!isRunning(job)) return { atMs: job.endedMs + RESULT_KEPT_MS, what: job.kind + EXPIRY };
  return job.pausedUntilMs === 0 ? undefined : { atMs: job.pausedUntilMs, what: job.kind + RESUME };
}
