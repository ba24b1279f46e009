import type { Static, TSchema } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import type { AccountRelation, StoreAccountRecord } from '../../../proto/gen/types.js';
import { type AnyRoute, json, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Relationship, renderRelationshipTo } from '../../pages/account/relationship.js';
import { idParams } from '../../pages/answers.js';
import { publishedAccount } from '../../viewing/visible.js';

type Work<B extends TSchema> = (
  services: Services,
  viewer: string,
  target: StoreAccountRecord,
  body: Static<B>,
) => Promise<AccountRelation | Problem>;

/** Route that runs a command about the account of the path and answers with the resulting relationship. */
export function acting<B extends TSchema>(
  verb: string,
  scope: string | readonly string[],
  body: B | undefined,
  work: Work<B>,
): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/accounts/:id/${verb}`,
    auth: 'user',
    scope,
    params: idParams,
    ...(body === undefined ? {} : { body }),
    answer: Relationship,
    handle: async (request: Request<{ id: string }, unknown, Static<B>>) => {
      const { services, viewer = '', params } = request;
      const target = await publishedAccount(services, params.id);
      if (isProblem(target)) return target;
      const relation = await work(services, viewer, target, request.body);
      if (isProblem(relation)) return relation;
      return json(await renderRelationshipTo(services, viewer, target.id, relation));
    },
  });
}
