import type { StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import { statuses } from '../../../store/tables.js';
import { maySee } from '../../domain/visibility.js';
import type { IncomingServices } from '../inbox/port.js';

/**
 * Returns a status that is known here and that an account of another server may see, as the actor of its conversation
 * knows it; the original of a reblog. Undefined: there is none, or it must not become known.
 */
export async function shownStatus(
  uri: string | undefined,
  viewer: StoreAccountRecord,
  services: Pick<IncomingServices, 'notes' | 'tables' | 'relationsOf'>,
): Promise<StoreStatusRecord | undefined> {
  const known = uri === undefined ? undefined : await services.notes.known(uri);
  const record = known && (await services.tables.get(statuses, { status: known.id }));
  if (record === undefined || record.deleted || record.reblogOfId !== undefined) return undefined;
  const relation = await services.relationsOf(viewer.id, record.accountId);
  return maySee(record, viewer.id, { ...relation, blocking: false }) ? record : undefined;
}
