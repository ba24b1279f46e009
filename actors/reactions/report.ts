import { auditLog, reports } from '../../store/moderation-tables.js';
import { put, type ReadTables } from '../../store/port.js';
import { eraOfId } from '../domain/ids.js';
import { publicLane } from '../domain/public.js';
import type { Events, State } from '../report/report.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';
import { tellAccount } from './account/tells.js';
import { forwardedReports } from './forwarded-reports.js';
import { staffWith } from './staff.js';

/** The dependencies of a report's effects. */
export interface ReportContext {
  /** Tables of the accounts that may handle reports. */
  readonly tables: Pick<ReadTables, 'range' | 'get' | 'getMany'>;
  /** Address of the instance, without trailing slash. */
  readonly baseUrl: string;
}

function writeReport(_event: object, { self, state }: Happened<State>, effects: Effects) {
  if (state.report === undefined) return undefined;
  return effects.write([put(reports, { era: eraOfId(self), lane: publicLane(self), report: self }, state.report)]);
}

/** Rows of the report and of moderators' actions, then one notification to each account that may handle it. */
export function reportReactions({ tables, baseUrl }: ReportContext): readonly Reaction<State, Events>[] {
  return [
    {
      surface: 'rows',
      beforeReply: true,
      on: {
        filed: writeReport,
        async handled(event, happened, effects) {
          await writeReport(event, happened, effects);
          const { by, action, auditId, atMs } = event;
          const audit = { by, action: `${action} report`, target: happened.self, detail: '', atMs };
          await effects.write([put(auditLog, { era: eraOfId(auditId), entry: auditId }, audit)]);
        },
      },
    },
    {
      surface: 'notify',
      beforeReply: false,
      on: {
        async filed({ account, target, category, comment, statusIds, ruleIds, forward, atMs }, { self }, effects) {
          const report = { id: self, target, category, comment, statusIds, ruleIds };
          const told = { ...report, forwarded: forward, createdAtMs: atMs };
          for (const { id } of await staffWith(tables, 'manage_reports'))
            await tellAccount(effects, id, 'notify', { type: 'admin.report', from: account, report: told });
        },
      },
    },
    forwardedReports(baseUrl, tables),
  ];
}
