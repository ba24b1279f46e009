import { storedId } from '../../actors/domain/ids.js';
import { statuses } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { PLACES } from '../viewing/judge.js';
import { Lens, NO_SOURCES } from '../viewing/lens.js';
import { relationsTo, visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

/**
 * Returns a status as an account of another server sees it; undefined if it does not. Accounts of other servers have no
 * viewpoint here but their relations to the author. @throws Unavailable
 */
export async function statusForSigner(
  services: Services,
  signer: string,
  id: string,
): Promise<VisibleStatus | undefined> {
  const record = await services.tables.get(statuses, { status: storedId(id) });
  if (record === undefined) return undefined;
  const authors = [record.accountId, record.reblogOfAccountId].filter((author) => author !== undefined);
  const relations = [...(await relationsTo(services, signer, authors)).values()];
  const followed = relations.filter(({ following }) => following).map(({ target }) => target);
  const sources = {
    ...NO_SOURCES,
    following: followed.map((target) => ({ target, pending: false, reblogs: true })),
    blockedBy: relations.filter(({ blockedBy }) => blockedBy).map(({ target }) => target),
  };
  const lens = new Lens(signer, sources, services.clock, services.limits);
  const [seen] = await visibleById(services, signer, [id], PLACES.single, lens);
  return seen;
}
