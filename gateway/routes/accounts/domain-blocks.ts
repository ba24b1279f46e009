import { Type } from '@sinclair/typebox';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { DOMAIN_CHARS_MAX } from '../../../actors/domain/servers/domain-name.js';
import { DOMAIN_SHOWN } from '../../http/request/domain-text.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { pageAnswer } from '../../pages/answers.js';
import { pageBounds, pageQuery } from '../../paging/bounds.js';
import { answered } from '../../viewing/visible.js';

const READ = ['read:blocks', 'follow'];
const WRITE = ['write:blocks', 'follow'];
const PATH = '/api/v1/domain_blocks';
const domain = () => Type.Optional(Type.String({ maxLength: DOMAIN_CHARS_MAX, shown: DOMAIN_SHOWN }));

const list = route({
  method: 'GET',
  path: PATH,
  auth: 'user',
  scope: READ,
  query: pageQuery(100, 200),
  answer: Type.Array(Type.String()),
  handle: async (request) => {
    const { services, viewer = '', query } = request;
    const bounds = pageBounds(query);
    const { domains, more } = answered(await services.askAccount(viewer, 'domainBlocks', bounds));
    const page = { newest: domains[0]?.edgeId, oldest: domains.at(-1)?.edgeId, more };
    return pageAnswer(
      request,
      bounds,
      page,
      domains.map((one) => one.domain),
    );
  },
});

const block = route({
  method: 'POST',
  path: PATH,
  auth: 'user',
  scope: WRITE,
  query: Type.Object({ domain: domain() }),
  body: Type.Object({ domain: domain() }, { shown: { required: ['domain'] } }),
  answer: Type.Object({}),
  handle: ({ services, viewer = '', body, query }) =>
    change(services, viewer, 'blockDomain', body.domain ?? query.domain),
});

const unblock = route({
  method: 'DELETE',
  path: PATH,
  auth: 'user',
  scope: WRITE,
  // Some clients send no body with DELETE.
  query: Type.Object({ domain: domain() }),
  body: Type.Object({ domain: domain() }),
  answer: Type.Object({}),
  handle: ({ services, viewer = '', body, query }) =>
    change(services, viewer, 'unblockDomain', body.domain ?? query.domain),
});

/** Servers that the viewer blocks. */
export const domainBlockRoutes: readonly AnyRoute[] = [list, block, unblock];

async function change(
  services: Pick<Services, 'askAccount'>,
  viewer: string,
  command: 'blockDomain' | 'unblockDomain',
  named: string | undefined,
) {
  if (!named) {
    const error = { error: 'ERR_BLANK', description: "can't be blank" };
    return problem('invalid', "Validation failed: Domain can't be blank", { domain: [error] });
  }
  const reply = await services.askAccount(viewer, command, { domain: named });
  return isProblem(reply) ? reply : json({});
}
