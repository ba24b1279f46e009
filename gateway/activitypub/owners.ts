import { type Problem, problem } from '../../actors/domain/problem.js';
import { isPublished } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { findLocal } from '../discovery/find-local.js';
import type { Services } from '../http/services.js';
import { notFound } from '../viewing/visible.js';

/** Refusal for whatever belonged to a deleted account: other servers forget it. */
const gone = (): Problem => problem('gone', 'This account was deleted');

/**
 * Returns a published local account by name, suspended or not; a 404 if there is none, a 410 if it was deleted.
 * @throws Unavailable
 */
export async function ownerNamed(
  services: Pick<Services, 'registry' | 'instance' | 'tables'>,
  name: string,
): Promise<StoreAccountRecord | Problem> {
  const id = await findLocal(services, name);
  const record = id === undefined ? undefined : await services.tables.get(accounts, { account: id });
  if (record === undefined) return notFound();
  if (record.removed === true) return gone();
  return isPublished(record) ? record : notFound();
}
