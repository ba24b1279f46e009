import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import type { SignedRequest } from '../../transport/federation/signed-request.js';
import { type Answer, type AnyRoute, type Request, refusedAnswer, route } from '../http/route.js';
import { notFound } from '../viewing/visible.js';
import { nameParams } from './actors.js';

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
  const { services, headers, target, url } = request;
  // Signatures cover the path as received: another spelling of it would have two meanings.
  if (target !== url) return notFound();
  if (!isActivityType(headers['content-type'])) return WRONG_TYPE;
  const answer = await services.inbox.receive(signedRequest(request));
  if (!isProblem(answer)) return TAKEN as Answer<never>;
  return answer.problem === 'unauthorized' ? refusedAnswer(401, { error: answer.detail }, CHALLENGE) : answer;
}

function signedRequest({ services, headers, target, body }: Request<unknown, unknown, unknown>): SignedRequest {
  const { host, protocol } = new URL(services.instance.baseUrl);
  return {
    method: 'POST',
    target,
    host,
    protocol: protocol === 'http:' ? 'http' : 'https',
    headers: new Map(Object.entries(headers)),
    body: body as Uint8Array,
  };
}

/** Profile of JSON-LD that means ActivityStreams. Source: ActivityPub §3.2. */
const PROFILE = 'https://www.w3.org/ns/activitystreams';

/** Returns true for the media types of ActivityStreams documents. */
export function isActivityType(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() === 'application/activity+json') return true;
  if (type.toLowerCase() !== 'application/ld+json') return false;
  const profile = parameters.find((parameter) => /^profile=/i.test(parameter))?.slice('profile='.length);
  return profile?.replace(/^"|"$/g, '').split(' ').includes(PROFILE) === true;
}

export const inboxRoutes: readonly AnyRoute[] = [
  inbox('/inbox', {}),
  inbox('/actor/inbox', {}),
  inbox('/users/:name/inbox', nameParams),
];
