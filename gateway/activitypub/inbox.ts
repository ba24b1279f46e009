import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { isObjectType } from '../../transport/federation/media-types.js';
import { type Answer, type AnyRoute, type Request, refusedAnswer, route } from '../http/route.js';
import { notFound } from '../viewing/visible.js';
import { nameParams } from './actors.js';
import { signedRequest } from './signed-request.js';

/** Components that a signature must cover, for senders whose request is refused. */
const CHALLENGE = { 'www-authenticate': 'Signature realm="Murmuration",headers="(request-target) host date digest"' };
const TAKEN: Answer = { status: 202, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '' };
const WRONG_TYPE = problem('unsupported_type', 'The body must be an ActivityStreams document');

/** Takes activities of other servers, for everybody or for one person. Source: ActivityPub §5.2, §7.1.3. */
const inbox = (path: string, params: typeof nameParams | Record<string, never>): AnyRoute =>
  route({
    method: 'POST',
    path,
    auth: 'none',
    params: Type.Object(params),
    isRaw: true,
    successes: [202],
    handle: (request) => receive(request as unknown as Request<unknown, unknown, unknown>),
  });

async function receive(request: Request<unknown, unknown, unknown>): Promise<Answer<never> | Problem> {
  const { services, headers, target, url, body } = request;
  // Signatures cover the path as received: another spelling of it would have two meanings.
  if (target !== url) return notFound();
  if (!isObjectType(headers['content-type'])) return WRONG_TYPE;
  const answer = await services.inbox.receive(signedRequest('POST', request, body as Uint8Array));
  if (!isProblem(answer)) return TAKEN as Answer<never>;
  return answer.problem === 'unauthorized' ? refusedAnswer(401, { error: answer.detail }, CHALLENGE) : answer;
}

export const inboxRoutes: readonly AnyRoute[] = [
  inbox('/inbox', {}),
  inbox('/actor/inbox', {}),
  inbox('/users/:name/inbox', nameParams),
];
