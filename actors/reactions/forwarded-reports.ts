import type { ReadTables } from '../../store/port.js';
import { accounts, statuses } from '../../store/tables.js';
import { accountUri, statusUri } from '../domain/addresses.js';
import { INSTANCE_KEY } from '../federation/account-keys.js';
import { queueActivity } from '../federation/delivery/queue.js';
import { instanceActorUri } from '../federation/documents/actor.js';
import { flagActivity } from '../federation/outgoing/flag.js';
import type { Events, State } from '../report/report.js';
import type { Reaction } from '../runtime/kind.js';

/** Sends a report to the server of the reported account if the reporter asked for it. The reporter stays unknown. */
export function forwardedReports(
  baseUrl: string,
  tables: Pick<ReadTables, 'get' | 'getMany'>,
): Reaction<State, Events> {
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      async filed({ target, comment, statusIds, forward }, now, effects) {
        const reported = forward ? await tables.get(accounts, { account: target }) : undefined;
        if (reported?.remote === undefined || reported.remote.gone) return;
        const keys = statusIds.map((status) => ({ status }));
        const named = keys.length === 0 ? [] : await tables.getMany(statuses, keys);
        const actor = instanceActorUri(baseUrl);
        const activity = flagActivity({
          actor,
          reportId: now.self,
          comment,
          account: accountUri(baseUrl, reported),
          statuses: named.flatMap((one) => (one === undefined ? [] : [statusUri(baseUrl, one, reported)])),
        });
        const signer = { id: INSTANCE_KEY, uri: actor };
        const inboxes = [reported.remote.inbox];
        await queueActivity(tables, now, effects, { activity, inboxes, signer, order: now.self });
      },
    },
  };
}
