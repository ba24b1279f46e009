import { storedId } from '../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { statuses } from '../../store/tables.js';
import type { Request } from '../http/route.js';
import type { Services } from '../http/services.js';
import { PLACES } from '../viewing/judge.js';
import { Lens, NO_SOURCES } from '../viewing/lens.js';
import { relationsTo, visibleById, visibleStatus } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { signerOf } from './signer.js';

/** A status as the sender of a request may see it. */
interface Shown {
  readonly seen: VisibleStatus;
  /** Everybody may see it. */
  readonly isPublic: boolean;
}

/**
 * Returns a status if everybody or the signer of the request may see it; otherwise the refusal of a missing one.
 * @throws Unavailable
 */
export async function shownToSigner(
  request: Pick<Request<unknown, unknown, unknown>, 'headers' | 'target' | 'services'>,
  id: string,
): Promise<Shown | Problem> {
  const { services } = request;
  const seen = await visibleStatus(services, undefined, id);
  if (!isProblem(seen)) return { seen, isPublic: true };
  // The signature is verified for missing statuses, too: the time of the answer tells nothing.
  const signer = await signerOf(request);
  const shown = signer && (await statusForSigner(services, signer.id, id));
  return shown === undefined ? seen : { seen: shown, isPublic: false };
}

/**
 * Returns a status as an account of another server sees it; undefined if it does not. Accounts of other servers have no
 * viewpoint here but their relations to the author. @throws Unavailable
 */
async function statusForSigner(services: Services, signer: string, id: string): Promise<VisibleStatus | undefined> {
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
