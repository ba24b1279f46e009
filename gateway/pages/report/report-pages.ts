import { eachBounded } from '../../../actors/domain/each-bounded.js';
import type { InstanceEntry, InstanceReport } from '../../../proto/gen/types.js';
import type { JsonPieces } from '../../http/json-pieces.js';
import type { Services } from '../../http/services.js';
import { READS_AT_ONCE_MAX } from '../../paging/cursor.js';
import { type Soon, soon } from '../../paging/soon.js';
import { forModerators } from '../../viewing/judge.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { loadStatuses } from '../../viewing/visible.js';
import type { ReportCard } from './cached-reports.js';

const NO_RULES: readonly InstanceEntry[] = [];

/**
 * Renders the REST API's Admin::Report as pieces of JSON, in the reports' order. Reports whose accounts are deleted are
 * left out.
 */
export function adminReportPieces(
  services: ReadServices & Pick<Services, 'pages' | 'entries'>,
  viewer: string,
  reports: readonly InstanceReport[],
): Soon<(readonly Uint8Array[])[]> {
  const ids: string[] = [];
  for (const { account, target, assigned, resolvedBy } of reports) {
    ids.push(account, target);
    if (assigned !== undefined) ids.push(assigned);
    if (resolvedBy !== undefined) ids.push(resolvedBy);
  }
  return soon(loadAccounts(services, ids), (people) => {
    const rules = reports.some(({ ruleIds }) => ruleIds.length > 0) ? services.entries.of('rules') : NO_RULES;
    return soon(rules, (known) => {
      const found: { readonly report: InstanceReport; readonly card: ReportCard }[] = [];
      for (const report of reports) {
        const card = services.pages.others.report(report, people, known);
        if (card !== undefined) found.push({ report, card });
      }
      if (reports.every(({ statusIds }) => statusIds.length === 0)) return found.map(({ card }) => [card.whole]);
      return eachBounded(found, READS_AT_ONCE_MAX, async ({ report, card }) => {
        if (report.statusIds.length === 0) return [card.whole];
        return [card.head, ...(await reportedStatuses(services, viewer, report)).pieces, card.rules];
      });
    });
  });
}

/** Renders the reported statuses for moderators, independently of their visibility. */
async function reportedStatuses(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string,
  report: InstanceReport,
): Promise<JsonPieces> {
  const found = await loadStatuses(services, report.statusIds);
  const seen = found.map((record) => (record?.accountId === report.target ? forModerators(record) : undefined));
  return services.pages.list(services, viewer, seen);
}
