import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  file: { in: P.InstanceFileReport; out: P.InstanceReport };
  handle: { in: P.InstanceHandleReport; out: P.InstanceReport };
}
export interface Events {
  filed: P.InstanceReportFiled;
  handled: P.InstanceReportHandled;
}
export interface State {
  readonly id: string;
  /** Undefined until it is filed. */
  report: P.InstanceReport | undefined;
}

/** Longest comment. Source: Mastodon Report::COMMENT_SIZE_LIMIT. */
export const REPORT_COMMENT_CHARS_MAX = 1_000;
/** Statuses of one report: as many as a moderator can review. */
export const REPORTED_STATUSES_MAX = 100;
export const REPORTED_RULES_MAX = 100;
/** Notes of moderators on one report: as many as somebody reads. */
export const REPORT_NOTES_MAX = 100;
/** Longest note. Source: Mastodon ReportNote::CONTENT_SIZE_LIMIT. */
export const REPORT_NOTE_CHARS_MAX = 2_000;
export const REPORT_CATEGORIES = ['spam', 'legal', 'violation', 'other'] as const;

/** Actions on a report. Each function returns true when the action would change nothing. */
const SETTLED: Readonly<Record<string, (report: P.InstanceReport, command: P.InstanceHandleReport) => boolean>> = {
  assign: ({ assigned }, { by }) => assigned === by,
  unassign: ({ assigned }) => assigned === undefined,
  resolve: ({ resolvedAtMs }) => resolvedAtMs > 0,
  reopen: ({ resolvedAtMs }) => resolvedAtMs === 0,
  // A command that is sent again.
  note: ({ notes }, { by, text }) => notes.at(-1)?.by === by && notes.at(-1)?.text === text,
  update: ({ category }, command) => !command.setRules && (command.category ?? category) === category,
};
const report = codec('murmuration.instance.Report');

/** One report: it is filed, handled and resolved, and may be reopened. */
export const reportPart: Slice<State, Commands, Events> = {
  decide: {
    file(state, command, { self, nowMs }) {
      if (state.report !== undefined) return { events: [], reply: state.report };
      const event = { ...command, atMs: nowMs };
      return { events: [{ type: 'filed', ...event }], reply: filedReport(self, event) };
    },
    handle(state, command, { nowMs, newId }) {
      const settled = Object.hasOwn(SETTLED, command.action) ? SETTLED[command.action] : undefined;
      if (state.report === undefined) return problem('not_found', 'Record not found');
      if (settled === undefined) return problem('invalid', 'Validation failed: Action is not included in the list');
      if (settled(state.report, command)) return { events: [], reply: state.report };
      if (command.action === 'note' && state.report.notes.length >= REPORT_NOTES_MAX)
        return problem('limit_reached', `A report can have ${REPORT_NOTES_MAX} notes`);
      const event = { ...command, atMs: nowMs, auditId: newId() };
      return { events: [{ type: 'handled', ...event }], reply: handledReport(state.report, event) };
    },
  },
  apply: {
    filed(state, event) {
      state.report = filedReport(state.id, event);
    },
    handled(state, event) {
      if (state.report !== undefined) state.report = handledReport(state.report, event);
    },
  },
  commands: {
    file: { in: codec('murmuration.instance.FileReport'), out: report, repeats: 'idempotent', local: false },
    handle: { in: codec('murmuration.instance.HandleReport'), out: report, repeats: 'idempotent', local: true },
  },
  events: {
    filed: { codec: codec('murmuration.instance.ReportFiled'), invalidates: false },
    handled: { codec: codec('murmuration.instance.ReportHandled'), invalidates: false },
  },
};

function filedReport(id: string, { atMs, forward, ...event }: P.InstanceReportFiled): P.InstanceReport {
  return { ...event, id, forwarded: forward, createdAtMs: atMs, updatedAtMs: atMs, resolvedAtMs: 0, notes: [] };
}

function handledReport(before: P.InstanceReport, event: P.InstanceReportHandled): P.InstanceReport {
  const { action, by, category, ruleIds, setRules, text, atMs } = event;
  const after = { ...before, updatedAtMs: atMs };
  switch (action) {
    case 'assign':
      return { ...after, assigned: by };
    case 'unassign':
      return { ...after, assigned: undefined };
    case 'resolve':
      return { ...after, resolvedAtMs: atMs, resolvedBy: by };
    case 'reopen':
      return { ...after, resolvedAtMs: 0, resolvedBy: undefined };
    case 'note':
      return { ...after, notes: [...before.notes, { by, text: text ?? '', atMs }] };
    default:
      return { ...after, category: category ?? before.category, ruleIds: setRules ? ruleIds : before.ruleIds };
  }
}
