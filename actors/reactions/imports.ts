import type { ImportsJob } from '../../proto/gen/types.js';
import { type MediaStore, readWhole } from '../../store/media.js';
import type { ImportWork } from '../imports/import-work.js';
import { importedRows } from '../imports/imported-rows.js';
import { alarmOf, type Commands, type Events, isRunning, type State, uploadAlarm } from '../imports/imports.js';
import { inTurns } from '../runtime/effects/in-turns.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';

export interface ImportContext {
  readonly media: MediaStore;
  readonly work: ImportWork;
}

/** Steps that a node carries out at a time. Each has four requests in flight, and people's requests come first. */
const STEPS_AT_ONCE_MAX = 4;

/**
 * Carries out imports step by step after the reply. A journal entry records each step, so a crash or a takeover repeats
 * one step at most.
 */
export function importReactions(context: ImportContext): readonly Reaction<State, Events>[] {
  const inTurn = inTurns(STEPS_AT_ONCE_MAX);
  const next = async (kind: string, step: number, now: Happened<State>, effects: Effects) => {
    const job = now.state.jobs.get(kind);
    // An earlier attempt has recorded the step, or the import has ended.
    if (job === undefined || !isRunning(job) || job.step !== step) return;
    const alarm = alarmOf(job);
    if (alarm !== undefined) return effects.setAlarm(alarm.atMs, alarm.what);
    const progress = await effects.outside(inTurn(() => carriedOut(context, now, job)));
    const { file } = job;
    if (progress !== undefined)
      await effects.tell('imports', now.self, 'advance', { kind, file, step, progress } satisfies Advance);
    else await effects.tell('imports', now.self, 'end', { kind, file, how: 'lost' } satisfies End);
  };
  const removeAll = async (files: readonly string[]) => {
    for (const file of files) await context.media.remove(file);
  };
  return [
    {
      surface: 'imports',
      beforeReply: false,
      on: {
        expected: ({ file, untilMs }, _now, effects) => effects.setAlarm(untilMs, uploadAlarm(file)),
        async begun({ kind, formerFile }, now, effects) {
          if (formerFile !== undefined) await removeAll([formerFile]);
          await next(kind, 0, now, effects);
        },
        advanced: ({ kind, step }, now, effects) => next(kind, step + 1, now, effects),
        resumed: ({ kind, step }, now, effects) => next(kind, step, now, effects),
        async ended({ kind }, now, effects) {
          const job = now.state.jobs.get(kind);
          const alarm = job === undefined || isRunning(job) ? undefined : alarmOf(job);
          if (alarm !== undefined) await effects.setAlarm(alarm.atMs, alarm.what);
        },
        removed: ({ files }) => removeAll(files),
      },
    },
  ];
}

type Advance = Commands['advance']['in'];
type End = Commands['end']['in'];

/** Carries out the next step; undefined if the file is lost. @throws Unavailable */
async function carriedOut({ media, work }: ImportContext, { self, state }: Happened<State>, job: ImportsJob) {
  const goesOn = () => state.jobs.get(job.kind) === job;
  const text = await readWhole(media, job.file);
  if (text === undefined) return undefined;
  return work.carryOut({ account: self, job, rows: importedRows(text), goesOn });
}
