import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { isSuspended } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { type Answer, type AnyRoute, type Request, redirect, route } from '../http/route.js';
import type { Services } from '../http/services.js';
import { idText } from '../paging/bounds.js';
import { notFound } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { visibleObjects } from './objects.js';
import { ownerNamed } from './owners.js';
import { documentOrPage } from './signer.js';
import { shownToSigner } from './status-for-signer.js';

/**
 * Answers with a status as an object or as the activity that published it. Those who may see it by their signature get it,
 * too; all others get the answer of missing ones.
 */
export const statusDocument =
  (as: 'object' | 'activity') =>
  async (
    request: Request<{ readonly name: string; readonly id: string }, unknown, unknown>,
  ): Promise<Answer | Problem> => {
    const { services, params } = request;
    const author = await ownerNamed(services, params.name);
    if (isProblem(author)) return author;
    const shown = await shownToSigner(request, params.id);
    return isProblem(shown) ? shown : statusAnswer(services, author, shown.seen, as, shown.isPublic);
  };

/** An identifier of a status. Browsers are led to the page. */
const serve = (path: string, as: 'object' | 'activity'): AnyRoute =>
  route({
    method: 'GET',
    path,
    auth: 'none',
    params: Type.Object({ ...nameParams, id: idText() }),
    handle: documentOrPage(statusDocument(as), ({ params }) => redirect(`/@${params.name}/${params.id}`)),
  });

async function statusAnswer(
  services: Services,
  author: StoreAccountRecord,
  seen: VisibleStatus,
  as: 'object' | 'activity',
  isPublic: boolean,
): Promise<Answer | Problem> {
  const isReblog = seen.record.reblogOfId !== undefined;
  // A reblog is an activity without an object of its own.
  if (seen.record.accountId !== author.id || isSuspended(author) || (isReblog && as === 'object')) return notFound();
  const [object] = await visibleObjects(services, author, [seen], as);
  return object === undefined ? notFound() : activityAnswer(object, isPublic);
}

export const statusDocumentRoutes: readonly AnyRoute[] = [
  serve('/users/:name/statuses/:id', 'object'),
  serve('/users/:name/statuses/:id/activity', 'activity'),
];
