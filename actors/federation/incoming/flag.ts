import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { statuses } from '../../../store/tables.js';
import { readLocalUri } from '../../domain/addresses.js';
import { storedId } from '../../domain/ids.js';
import { REPORT_COMMENT_CHARS_MAX, REPORTED_STATUSES_MAX } from '../../report/report.js';
import type { ActivityHandler, IncomingServices } from '../inbox/port.js';
import { idsOf, textOf } from '../reading/values.js';
import { outcomeOf } from './local.js';

/**
 * The sender reports a local account, with statuses of it. It stands for a whole server, which keeps the reporter to
 * itself. Source: Mastodon ActivityPub::Activity::Flag.
 */
export const flag: ActivityHandler = {
  isRemembered: true,
  async take({ document, sender }, services) {
    if (services.policies.of(sender.domain).rejectsReports) return 'ignored';
    const named = idsOf(document.object, REPORTED_STATUSES_MAX + 1);
    const target = await reported(named, services);
    if (target === undefined) return 'ignored';
    const statusIds = await statusesOf(target, named, services);
    const report = { account: sender.id, target: target.id, category: 'other', statusIds };
    const comment = textOf(document.content, REPORT_COMMENT_CHARS_MAX);
    const rest = { comment, ruleIds: [], collectionIds: [], forward: false };
    return outcomeOf(await services.askReport(await services.newReportId(), 'file', { ...report, ...rest }));
  },
};

/** Returns the first local account that is named, or the author of the first status. */
async function reported(named: readonly string[], services: IncomingServices): Promise<StoreAccountRecord | undefined> {
  const local = named.flatMap((uri) => readLocalUri(services.baseUrl, uri) ?? []);
  const first = local.find(({ kind }) => kind === 'account') ?? local[0];
  return first === undefined ? undefined : services.localAccount(first.username);
}

/** Returns the named statuses that exist and are of this account. */
async function statusesOf(
  { id: account }: StoreAccountRecord,
  named: readonly string[],
  { baseUrl, tables }: IncomingServices,
): Promise<string[]> {
  const local = named.flatMap((uri) => readLocalUri(baseUrl, uri) ?? []);
  const ids = [...new Set(local.flatMap((one) => (one.kind === 'status' ? [storedId(one.id)] : [])))];
  const records = await tables.getMany(
    statuses,
    ids.map((status) => ({ status })),
  );
  return records.flatMap((one) => (one?.accountId === account && !one.deleted ? [one.id] : []));
}
