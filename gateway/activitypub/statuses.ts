import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { isSuspended } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { type Answer, type AnyRoute, route } from '../http/route.js';
import type { Services } from '../http/services.js';
import { idText } from '../paging/bounds.js';
import { notFound, visibleStatus } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { visibleObjects } from './objects.js';
import { ownerNamed } from './owners.js';
import { documentOrPage, signerOf } from './signer.js';
import { statusForSigner } from './status-for-signer.js';

/**
 * Serves a status as an object or as the activity that published it. Those who may see it by their signature get it,
 * too; all others get the answer of missing ones.
 */
const serve = (path: string, as: 'object' | 'activity'): AnyRoute =>
  route({
    method: 'GET',
    path,
    auth: 'none',
    params: Type.Object({ ...nameParams, id: idText() }),
    handle: documentOrPage(async (request) => {
      const { services, params } = request;
      const author = await ownerNamed(services, params.name);
      if (isProblem(author)) return author;
      const seen = await visibleStatus(services, undefined, params.id);
      if (!isProblem(seen)) return statusAnswer(services, author, seen, as, true);
      // The signature is verified for missing statuses, too: the time of the answer tells nothing.
      const signer = await signerOf(request);
      const shown = signer && (await statusForSigner(services, signer.id, params.id));
      return shown === undefined ? seen : statusAnswer(services, author, shown, as, false);
    }),
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
  serve('/@:name/:id', 'object'),
  serve('/users/:name/statuses/:id/activity', 'activity'),
];
