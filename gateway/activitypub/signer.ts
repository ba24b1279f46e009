import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { isSuspended } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { parseSignature } from '../../transport/federation/verification.js';
import { prefersDocument } from '../http/accept.js';
import type { Answer, Request } from '../http/route.js';
import type { Services } from '../http/services.js';
import type { Soon } from '../paging/soon.js';
import { NO_STORE, unlessKnown } from './answering.js';
import { signedRequest } from './signed-request.js';

type Signed = Pick<Request<unknown, unknown, unknown>, 'headers' | 'target'> & {
  readonly services: Pick<Services, 'federation' | 'instance' | 'clock' | 'limits'>;
};

const NO_BODY = new Uint8Array(0);

/**
 * Returns the account of another server that signed a GET; undefined without a valid signature. Suspended accounts, and
 * those of suspended servers, are nobody. An unknown key is fetched. @throws Unavailable when the store cannot answer
 */
export async function signerOf(received: Signed): Promise<StoreAccountRecord | undefined> {
  const { federation, clock, limits } = received.services;
  const request = signedRequest('GET', received, NO_BODY);
  const parsed = parseSignature(request);
  if ('problem' in parsed) return undefined;
  let known: string | undefined;
  // A key that does not fit may have been replaced.
  for (const fresh of [false, true]) {
    const key = await federation.keys.publicPem(parsed.keyId, { fresh });
    if ('missing' in key || key.pem === known) return undefined;
    if (isSuspended(key.owner) || limits.suspended(key.owner.id, key.owner.domain)) return undefined;
    if ((await federation.signatures.verify(request, key.pem, clock.nowMs())) === true) return key.owner;
    known = key.pem;
  }
  return undefined;
}

/** Refusal of a request without a valid signature. */
export const unsigned = (): Problem => problem('unauthorized', 'Requests for this document must be signed');

/**
 * Wraps the handler of a document of local people. With AUTHORIZED_FETCH only signed requests get it, and no shared
 * cache stores it. A reader who has a document that everybody may see gets 304.
 */
export const authorized =
  <P, Q, B>(handle: (request: Request<P, Q, B>) => Soon<Answer | Problem>) =>
  async (request: Request<P, Q, B>): Promise<Answer | Problem> => {
    const isOnlySigned = request.services.instance.authorizedFetch;
    const answer = await (isOnlySigned ? onlySigned(request, handle) : handle(request));
    return isProblem(answer) ? answer : unlessKnown(answer, request.headers['if-none-match']);
  };

type Handle<P, Q, B> = (request: Request<P, Q, B>) => Soon<Answer | Problem>;

/** Joins the handlers of a document and of the page at the same address. The Accept header decides. */
export const documentOrPage =
  <P, Q, B>(document: Handle<P, Q, B>, page: Handle<P, Q, B>): Handle<P, Q, B> =>
  (request) =>
    prefersDocument(request.headers.accept) ? authorized(document)(request) : page(request);

async function onlySigned<P, Q, B>(
  request: Request<P, Q, B>,
  handle: (request: Request<P, Q, B>) => Soon<Answer | Problem>,
): Promise<Answer | Problem> {
  if ((await signerOf(request)) === undefined) return unsigned();
  const answer = await handle(request);
  return isProblem(answer) ? answer : { ...answer, headers: { ...answer.headers, 'cache-control': NO_STORE } };
}
