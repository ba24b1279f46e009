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
import { activityAnswer, noPage, prefersDocument } from './answering.js';
import { objectsOf } from './objects.js';
import { ownerNamed } from './owners.js';

/**
 * Serves a status as an object or as the activity that published it. Nobody is known by a signature yet, so only
 * statuses for everybody are served; others get the answer of missing ones.
 */
const serve = (path: string, as: 'object' | 'activity'): AnyRoute =>
  route({
    method: 'GET',
    path,
    auth: 'none',
    params: Type.Object({ ...nameParams, id: idText() }),
    handle: async ({ services, params, headers }) => {
      if (!prefersDocument(headers.accept)) return noPage();
      const author = await ownerNamed(services, params.name);
      if (isProblem(author)) return author;
      const seen = await visibleStatus(services, undefined, params.id);
      return isProblem(seen) ? seen : statusAnswer(services, author, seen, as);
    },
  });

async function statusAnswer(
  services: Services,
  author: StoreAccountRecord,
  seen: VisibleStatus,
  as: 'object' | 'activity',
): Promise<Answer | Problem> {
  const isReblog = seen.record.reblogOfId !== undefined;
  // A reblog is an activity without an object of its own.
  if (seen.record.accountId !== author.id || isSuspended(author) || (isReblog && as === 'object')) return notFound();
  const [object] = await objectsOf(services, author, [seen], as);
  return object === undefined ? notFound() : activityAnswer(object);
}

export const statusDocumentRoutes: readonly AnyRoute[] = [
  serve('/users/:name/statuses/:id', 'object'),
  serve('/@:name/:id', 'object'),
  serve('/users/:name/statuses/:id/activity', 'activity'),
];
