import type { TSchema } from '@sinclair/typebox';
import { isProblem, type Problem, problem, Unavailable } from '../../actors/domain/problem.js';
import type { Services } from '../services.js';
import type { Authenticator } from './authenticator.js';
import { authorize, type Caller } from './authorize.js';
import { BODY_BYTES_MAX, parseBody } from './body.js';
import type { BodyRead } from './body-reader.js';
import type { ClientAddress } from './client-address.js';
import { parseUrlEncoded, percentDecode, Unparsable } from './form.js';
import type { Head } from './head.js';
import { problemAnswer } from './problem-answer.js';
import { type Answer, type AnyRoute, json } from './route.js';
import { type Match, paramNames, Router } from './router.js';
import { type Validate, validators } from './validate.js';

/** Where the gateway reports; pino fits. */
export interface GatewayLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A route made ready: its schemas compiled. */
export interface Prepared {
  readonly method: AnyRoute['method'];
  readonly path: string;
  readonly route: AnyRoute;
  readonly names: readonly string[];
  readonly params: Validate;
  readonly query: Validate;
  readonly body: Validate;
}

/** One request on its way through the dispatcher. */
export interface Arrival {
  readonly id: string;
  readonly head: Head;
  /** The connection's other end. */
  readonly connected: () => string;
  readonly body: { readonly done: Promise<BodyRead>; discard(): void };
}

const NOT_FOUND = problem('not_found', 'Record not found');
const NO_SUCH_PAGE = problem('not_found', 'There is nothing at this address');

/** Takes a request through parsing, authorisation, validation and its handler to an answer. Knows no sockets. */
export class Dispatcher {
  readonly #router: Router<Prepared>;
  readonly #services: Services;
  readonly #authenticator: Authenticator;
  readonly #clientAddress: ClientAddress;
  readonly #logger: GatewayLogger;

  constructor(
    routes: readonly AnyRoute[],
    services: Services,
    authenticator: Authenticator,
    clientAddress: ClientAddress,
    logger: GatewayLogger,
  ) {
    const compile = validators();
    this.#router = new Router(routes.map((route) => prepare(route, compile)));
    this.#services = services;
    this.#authenticator = authenticator;
    this.#clientAddress = clientAddress;
    this.#logger = logger;
  }

  match(head: Head): Match<Prepared> {
    return this.#router.match(head.method, head.path);
  }

  /** Never rejects: whatever happens has an answer. Undefined: the client is gone. */
  async answer(match: Match<Prepared>, arrival: Arrival): Promise<Answer | undefined> {
    let answer: Answer | undefined;
    try {
      answer = await this.#attempt(match, arrival);
    } catch (error) {
      answer = this.#failure(error, arrival);
    }
    // A refusal waits for the body's end: most clients only look for an answer once they have sent everything.
    arrival.body.discard();
    return (await arrival.body.done) === 'aborted' ? undefined : answer;
  }

  async #attempt(match: Match<Prepared>, arrival: Arrival): Promise<Answer | undefined> {
    if (arrival.head.malformed !== undefined) return problemAnswer(problem('bad_request', arrival.head.malformed));
    if (match.kind === 'nothing') return problemAnswer(NO_SUCH_PAGE);
    if (match.kind === 'wrong_method') {
      const body = { error: 'This method is not allowed here' };
      return { status: 405, headers: { allow: match.allow.join(', ') }, body };
    }
    return this.#run(match.route, match.params, arrival);
  }

  async #run(prepared: Prepared, raw: readonly string[], arrival: Arrival): Promise<Answer | undefined> {
    const { head } = arrival;
    const input = this.#parseAddress(prepared, raw, head);
    if (isProblem(input)) return problemAnswer(input);
    const caller = await authorize(prepared.route, head.headers.authorization, this.#authenticator);
    if (isProblem(caller)) return problemAnswer(caller);
    const bytes = await arrival.body.done;
    if (bytes === 'aborted') return undefined;
    if (bytes === 'too_large') return problemAnswer(problem('too_large', 'The request is too large'));
    const body = prepared.body(this.#parseBody(prepared.route, bytes, head));
    if (isProblem(body)) return problemAnswer(body);
    return this.#handle(prepared.route, { ...input, body: body.value }, caller, arrival);
  }

  /** Some clients put a form's values into the address: they count where the route has no query of its own. */
  #parseBody(route: AnyRoute, bytes: Uint8Array, head: Head): object {
    const body = parseBody(bytes, head.headers['content-type'] ?? '');
    if (head.query === '' || route.body === undefined || route.query !== undefined) return body;
    return Object.assign(parseUrlEncoded(head.query), body);
  }

  /** Path and query; syntax before values, so that a 400 comes before a 404. */
  #parseAddress(prepared: Prepared, raw: readonly string[], head: Head): { params: unknown; query: unknown } | Problem {
    const params: Record<string, string> = {};
    prepared.names.forEach((name, index) => {
      params[name] = percentDecode(raw[index] ?? '');
    });
    // uWebSockets replaces bytes that are not UTF-8.
    if (head.query.includes('\ufffd') || head.path.includes('\ufffd')) throw new Unparsable('Malformed UTF-8');
    const form = parseUrlEncoded(head.query);
    const validParams = prepared.params(params);
    if (isProblem(validParams)) return NOT_FOUND;
    const query = prepared.query(form);
    return isProblem(query) ? query : { params: validParams.value, query: query.value };
  }

  async #handle(
    route: AnyRoute,
    input: { params: unknown; query: unknown; body: unknown },
    caller: Caller,
    arrival: Arrival,
  ): Promise<Answer> {
    const { head, connected, id } = arrival;
    const clientAddress = this.#clientAddress;
    const result = await route.handle({
      services: this.#services,
      viewer: caller.viewer,
      bearer: caller.bearer,
      params: input.params as never,
      query: input.query as never,
      body: input.body as never,
      headers: head.headers,
      url: head.query === '' ? head.path : `${head.path}?${head.query}`,
      id,
      get remoteAddress() {
        return clientAddress(connected(), head.headers['x-forwarded-for']);
      },
    });
    return isProblem(result) ? problemAnswer(result) : result;
  }

  #failure(error: unknown, arrival: Arrival): Answer {
    if (error instanceof Unparsable) return problemAnswer(problem('bad_request', error.message));
    const fields = { id: arrival.id, method: arrival.head.method, path: arrival.head.path, err: error };
    if (error instanceof Unavailable) {
      this.#logger.warn(fields, 'unavailable');
      return problemAnswer(problem('unavailable', 'The service cannot answer now, please try again'));
    }
    this.#logger.error(fields, 'request failed');
    return { status: 500, body: { error: `Something went wrong on our side (request ${arrival.id})` } };
  }
}

function prepare(route: AnyRoute, compile: (schema: TSchema | undefined) => Validate): Prepared {
  return {
    method: route.method,
    path: route.path,
    route,
    names: paramNames(route.path),
    params: compile(route.params),
    query: compile(route.query),
    body: compile(route.body),
  };
}

/** How much of a body the route takes. */
export function bodyBytesMax(match: Match<Prepared>, contentType: string | undefined): number {
  if (match.kind !== 'route' || match.route.route.multipartBytesMax === undefined) return BODY_BYTES_MAX;
  return contentType?.toLowerCase().startsWith('multipart/form-data')
    ? match.route.route.multipartBytesMax
    : BODY_BYTES_MAX;
}

/** What `/health` and its kin say; not routes, since they need neither tokens nor parsing. */
export async function healthAnswer(path: string, ready: () => Promise<boolean> | boolean): Promise<Answer | undefined> {
  const text = (status: number, body: string): Answer => ({
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body,
  });
  if (path === '/health/live' || path === '/api/v1/streaming/health') return text(200, 'OK');
  if (path === '/health') return (await ready()) ? text(200, 'OK') : text(503, 'not ready');
  if (path === '/health/ready')
    return (await ready()) ? json({ ready: true }) : { status: 503, body: { ready: false } };
  return undefined;
}
