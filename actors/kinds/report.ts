import { type ReportContext, reportReactions } from '../reactions/report.js';
import { type Commands, type Events, reportPart, type State } from '../report/report.js';
import type { ActorKind } from '../runtime/kind.js';

export type { Commands as ReportCommands } from '../report/report.js';

/** The kind of actor that represents one report. Several moderators may work on it at the same time. */
export function reportKind(around: ReportContext): ActorKind<State, Commands, Events> {
  return {
    name: 'report',
    initial: (id) => ({ id, report: undefined }),
    ...reportPart,
    stateVersion: 1,
    reactions: reportReactions(around),
  };
}
