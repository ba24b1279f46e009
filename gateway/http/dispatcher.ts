import type { TSchema } from '@sinclair/typebox';
import { LogBound } from '../../actors/domain/log-bound.js';
import { isProblem, type Problem, problem, Unavailable } from '../../actors/domain/problem.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import { idText, isIdText } from '../paging/bounds.js';
import type { ApiAnswer, ApiCall, ApiPerson } from './api-call.js';
import { type Authenticator, type Caller, sessionCaller } from './authenticator.js';
import { authorize, NOBODY, permit } from './authorize.js';
import { once } from './idempotency.js';
import type { ClientAddress } from './limits/client-address.js';
import { isLimited, type RateLimits, type Standing } from './limits/rate-limits.js';
import { problemAnswer } from './problem-answer.js';
import { readAnswer } from './read-answer.js';
import { BODY_BYTES_MAX, parseBody } from './request/body.js';
import { parseUrlEncoded, percentDecode, Unparsable } from './request/form.js';
import type { Head } from './request/head.js';
import { type Address, type Arrival, Incoming, type Origin } from './request/incoming.js';
import { refusedForm } from './request/refused-form.js';
import { type Validate, validators } from './request/validate.js';
import type { Answer, AnyRoute, Request } from './route.js';
import { type Match, paramNames, Router } from './router.js';
import type { Services } from './services.js';

/** Log of the gateway. A pino logger fits. */
export interface GatewayLogger {
  debug(fields: object, message: string): void;
  /** Absent: all levels are written. Called before the fields of a line are collected. */
  isLevelEnabled?(level: string): boolean;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A route with its schemas compiled. */
export interface Prepared {
  readonly method: AnyRoute['method'];
  readonly path: string;
  readonly route: AnyRoute;
  readonly names: readonly string[];
  /** True if the only parameter is `:id`. A valid id is then accepted without the schema. */
  readonly isById: boolean;
  /** True if requests count towards rate limits. */
  readonly isLimited: boolean;
  /** Absent: the route has no such schema. */
  readonly params: Validate | undefined;
  readonly query: Validate | undefined;
  readonly body: Validate | undefined;
  /** Parsed values of short queries without lists. They are frozen. */
  readonly queries: Cache<object>;
}

/** Result of a handler. */
type Handled = Answer | Problem;
/** Undefined: the client has disconnected. */
type Attempt = Handled | undefined | Promise<Handled | undefined>;

const ID_SCHEMA = idText();
/** Value for a route without a schema. */
const EMPTY: object = Object.freeze({});
const NOWHERE: Address = { params: EMPTY, query: EMPTY };
/** Cause of calls that the server makes by itself. */
const NO_REQUEST: Origin = {
  id: 'background',
  head: { headers: {}, path: '', rawPath: '', query: '' },
  connected: () => '',
};
const NO_BYTES = new Uint8Array(0);
/** Cached queries of one route, and the longest of them. All routes together take some 5 MB if a client fills them. */
const QUERIES_MAX = 64;
const QUERY_CHARS_MAX = 48;
/**
 * Log lines in the span below that say why a request was refused. While a service is unreachable, thousands of requests
 * a second may fail; two lines a second are enough.
 */
const OUTAGE_LINES_MAX = 10;
const OUTAGE_SPAN_MS = 5_000;
const NOT_FOUND = problem('not_found', 'Record not found');
const TOO_MANY = problem('rate_limited', 'Too many requests');
const OVER_SHARE = problem(
  'rate_limited',
  'You are uploading too much at once, please wait until your uploads are complete',
);
const NO_SUCH_PAGE = problem('not_found', 'There is nothing at this address');

/** Takes a request through authorization, parsing, validation and its handler to an answer. Independent of sockets. */
export class Dispatcher {
  readonly #router: Router<Prepared>;
  readonly #prepared = new Map<AnyRoute, Prepared>();
  readonly #services: Services;
  readonly #authenticator: Authenticator;
  readonly #clientAddress: ClientAddress;
  readonly #logger: GatewayLogger;
  readonly #rateLimits: RateLimits | undefined;
  readonly #outages = new LogBound(OUTAGE_LINES_MAX, OUTAGE_SPAN_MS);

  constructor(
    routes: readonly AnyRoute[],
    services: Services,
    authenticator: Authenticator,
    clientAddress: ClientAddress,
    logger: GatewayLogger,
    rateLimits?: RateLimits,
  ) {
    this.#rateLimits = rateLimits;
    const compile = validators();
    for (const route of routes) this.#prepared.set(route, prepare(route, compile, services.caches));
    this.#router = new Router([...this.#prepared.values()]);
    this.#services = services;
    this.#authenticator = authenticator;
    this.#clientAddress = clientAddress;
    this.#logger = logger;
  }

  match(head: Head): Match<Prepared> {
    return this.#router.match(head.method, head.path);
  }

  /**
   * Answers a request. Neither throws nor rejects: every failure has an answer. The answer comes synchronously unless
   * the request had to wait. Undefined: the client has disconnected.
   */
  answer(match: Match<Prepared>, arrival: Arrival): Answer | Promise<Answer | undefined> {
    let attempt: Attempt;
    try {
      attempt = this.#attempt(match, arrival);
    } catch (error) {
      attempt = this.#failure(error, arrival);
    }
    if (arrival.body !== undefined || attempt === undefined || attempt instanceof Promise) {
      return this.#whenDone(attempt, arrival);
    }
    return isProblem(attempt) ? problemAnswer(attempt) : attempt;
  }

  async #whenDone(attempt: Attempt, arrival: Arrival): Promise<Answer | undefined> {
    let handled: Handled | undefined;
    try {
      handled = await attempt;
    } catch (error) {
      handled = this.#failure(error, arrival);
    }
    const answer = isProblem(handled) ? problemAnswer(handled) : handled;
    if (arrival.body === undefined) return answer;
    // A refusal waits for the body's end: most clients look for an answer only after they have sent everything.
    arrival.body.discard();
    return (await arrival.body.done) === 'aborted' ? undefined : answer;
  }

  #attempt(match: Match<Prepared>, arrival: Arrival): Attempt {
    if (arrival.head.malformed !== undefined) return problem('bad_request', arrival.head.malformed);
    if (match.kind === 'route') return this.#run(match.route, match.params, arrival);
    if (match.kind === 'nothing') return NO_SUCH_PAGE;
    const body = { error: 'This method is not allowed here' };
    return { status: 405, headers: { allow: match.allow.join(', ') }, body };
  }

  #run(prepared: Prepared, raw: readonly string[], arrival: Arrival): Attempt {
    // The token is checked first: a caller without a valid one learns nothing about parameters.
    const caller = authorize(prepared.route, arrival.head.authorization, this.#authenticator);
    // Stores the address now, because writes of all but users with cached tokens count by address, even if the client
    // disconnects meanwhile.
    if (arrival.writes && !isKnownUser(prepared.route, caller)) arrival.connected();
    if (arrival.body !== undefined || caller instanceof Promise) {
      return this.#runLater(prepared, raw, caller, arrival);
    }
    if (isProblem(caller)) return this.#refuse(prepared, caller, arrival);
    const address = this.#parseAddress(prepared, raw, arrival.head);
    if (isProblem(address)) return this.#refuse(prepared, address, arrival);
    return this.#handle(prepared, address, caller, NO_BYTES, arrival);
  }

  async #runLater(
    prepared: Prepared,
    raw: readonly string[],
    authorized: Caller | Problem | Promise<Caller | Problem>,
    arrival: Arrival,
  ): Promise<Handled | undefined> {
    const caller = await authorized;
    if (isProblem(caller)) return this.#refuse(prepared, caller, arrival);
    const address = this.#parseAddress(prepared, raw, arrival.head);
    if (isProblem(address)) return this.#refuse(prepared, address, arrival);
    if (caller.viewer !== undefined && arrival.body?.assignTo(caller.viewer) === false) return OVER_SHARE;
    const { before } = prepared.route;
    const refused = before && (await before({ services: this.#services, headers: arrival.head.headers }));
    if (refused !== undefined) return this.#refuse(prepared, refused, arrival);
    const bytes = arrival.body === undefined ? NO_BYTES : await arrival.body.done;
    if (bytes === 'aborted') return undefined;
    if (bytes === 'too_large') return problem('too_large', 'The request is too large');
    if (bytes === 'over_share') return OVER_SHARE;
    if (bytes === 'unavailable') return problem('unavailable', 'Too much is being uploaded, please try again');
    return this.#handle(prepared, address, caller, bytes, arrival);
  }

  /** Counts a request that counts towards rate limits, and runs its handler unless there were too many. */
  #handle(
    prepared: Prepared,
    address: Address,
    caller: Caller,
    bytes: Uint8Array,
    arrival: Arrival,
  ): Handled | Promise<Handled> {
    if (caller.bearer !== undefined) this.#services.registry.noteTokenUse(caller.bearer.tokenHash);
    const limits = this.#rateLimits;
    if (limits === undefined || !prepared.isLimited) {
      return this.#carryOut(prepared, address, caller, bytes, arrival);
    }
    const standing = limits.take(prepared.route, caller.bearer?.tokenHash, () => this.#from(arrival));
    if (standing === undefined) return this.#carryOut(prepared, address, caller, bytes, arrival);
    if (standing.refused) return this.#tooMany(standing);
    const handled = this.#carryOut(prepared, address, caller, bytes, arrival);
    return handled instanceof Promise
      ? handled.then((answer) => withHeaders(answer, standing))
      : withHeaders(handled, standing);
  }

  /**
   * Counts a refused request for its address if the caller is still unknown, so that nobody can try tokens without end.
   */
  #refuse(prepared: Prepared, refusal: Problem, arrival: Arrival): Handled {
    const standing = prepared.isLimited
      ? this.#rateLimits?.take(prepared.route, undefined, () => this.#from(arrival))
      : undefined;
    if (standing === undefined) return refusal;
    return standing.refused ? this.#tooMany(standing) : withHeaders(refusal, standing);
  }

  /** Returns 429 with the time after which requests are answered again. */
  #tooMany(standing: Standing): Answer {
    const answer = withHeaders(TOO_MANY, standing);
    return { ...answer, headers: { ...answer.headers, 'retry-after': String(standing.retryAfterSeconds) } };
  }

  #from(arrival: Origin): string {
    return this.#clientAddress(arrival.connected(), arrival.head.headers['x-forwarded-for']);
  }

  #carryOut(
    prepared: Prepared,
    address: Address,
    caller: Caller,
    bytes: Uint8Array,
    arrival: Arrival,
  ): Handled | Promise<Handled> {
    const { route } = prepared;
    let body: unknown = EMPTY;
    let asked = address;
    if (route.isRaw === true) body = bytes;
    else if (prepared.body !== undefined || bytes.length > 0) {
      const parsed = this.#parseBody(route, bytes, arrival.head);
      const validate = prepared.body ?? prepared.query;
      const valid = validate?.(parsed) ?? { value: parsed };
      if (isProblem(valid)) return this.#again(route.page, valid, { caller, address, arrival, sent: parsed });
      body = valid.value;
      if (validate !== undefined && validate === prepared.query) asked = { params: address.params, query: body };
    }
    const request = new Incoming(this.#services, this.#clientAddress, caller, asked, body, arrival, this.#api);
    const key = route.idempotent === undefined ? undefined : request.headers['idempotency-key'];
    if (key) return once(request, route, arrival.head.path, key);
    return route.handle(request);
  }

  /** Shows the page of a refused form again (route.ts, `Route.page`). */
  #again(
    page: AnyRoute | undefined,
    refused: Problem,
    form: { readonly caller: Caller; readonly address: Address; readonly arrival: Arrival; readonly sent: object },
  ): Handled | Promise<Handled> {
    const prepared = page && this.#prepared.get(page);
    if (page === undefined || prepared === undefined) return refused;
    const { caller, address, arrival, sent } = form;
    const again = refusedForm(refused, sent);
    const params = prepared.params?.({ ...(address.params as object) }) ?? { value: EMPTY };
    const own = address.query as object;
    const typed = prepared.query?.({ ...own, ...again.typed }) ?? { value: EMPTY };
    // The refused field may be one of the page's query, which then counts as absent.
    const query = isProblem(typed) ? (prepared.query?.({ ...own }) ?? typed) : typed;
    if (isProblem(params) || isProblem(query)) return refused;
    const asked = { params: params.value, query: query.value };
    const [services, from] = [this.#services, this.#clientAddress];
    return shownAgain(page, new Incoming(services, from, caller, asked, EMPTY, arrival, this.#api, again), refused);
  }

  /** Carries out a call of a page (route.ts, `Request.api`). */
  readonly #api = async (arrival: Origin, person: ApiPerson | undefined, call: ApiCall): Promise<ApiAnswer> => {
    const handled = await this.#called(arrival, person, call);
    return readAnswer(isProblem(handled) ? problemAnswer(handled) : handled);
  };

  /** Carries out a call in a person's name that no request has caused. Never rejects. */
  readonly apiFor = async (person: ApiPerson, call: ApiCall): Promise<ApiAnswer> => {
    try {
      return await this.#api(NO_REQUEST, person, call);
    } catch (error) {
      const failure = this.#failure(error, { id: NO_REQUEST.id, head: call });
      return readAnswer(isProblem(failure) ? problemAnswer(failure) : failure);
    }
  };

  async #called(arrival: Origin, person: ApiPerson | undefined, call: ApiCall): Promise<Handled> {
    const match = this.#router.match(call.method, call.path);
    if (match.kind !== 'route') return NO_SUCH_PAGE;
    const { route } = match.route;
    const caller = callerOf(route, person);
    if (isProblem(caller)) return caller;
    const standing = this.#rateLimits?.take(route, person?.tokenHash, () => this.#from(arrival));
    if (standing?.refused === true) return this.#tooMany(standing);
    const address = this.#parseAddress(match.route, match.params, { path: call.path, query: call.query ?? '' });
    if (isProblem(address)) return address;
    const valid = match.route.body?.(call.body ?? {}) ?? { value: EMPTY };
    if (isProblem(valid)) return valid;
    const request = new Incoming(this.#services, this.#clientAddress, caller, address, valid.value, arrival, this.#api);
    return route.handle(request);
  }

  /**
   * Parses the body. As in Mastodon, parameters may come in the address or in the body: a route with a schema for only
   * one of them accepts both, and the body takes precedence.
   */
  #parseBody(route: AnyRoute, bytes: Uint8Array, head: Head): object {
    const body = parseBody(bytes, head.contentType ?? '');
    if (head.query === '' || (route.body === undefined) === (route.query === undefined)) return body;
    return Object.assign(parseUrlEncoded(head.query), body);
  }

  /** Parses path and query. Checks syntax before values, so that a 400 comes before a 404. */
  #parseAddress(prepared: Prepared, raw: readonly string[], head: Pick<Head, 'path' | 'query'>): Address | Problem {
    const id = prepared.isById && isIdText(raw[0] ?? '') ? raw[0] : undefined;
    const params = id !== undefined ? { id } : raw.length === 0 ? EMPTY : decodeParams(prepared.names, raw);
    // uWebSockets replaces bytes that are not UTF-8 by U+FFFD.
    if (head.query.includes('\ufffd') || head.path.includes('\ufffd')) throw new Unparsable('Malformed UTF-8');
    if (head.query === '' && raw.length === 0 && prepared.params === undefined && prepared.query === undefined) {
      return NOWHERE;
    }
    // The syntax is checked first. A cached query has passed that check.
    const known = prepared.queries.get(head.query);
    const form = known === undefined ? parseUrlEncoded(head.query) : EMPTY;
    const validParams = id !== undefined || prepared.params === undefined ? { value: params } : prepared.params(params);
    if (isProblem(validParams)) return NOT_FOUND;
    if (known !== undefined) return { params: validParams.value, query: known };
    const query = prepared.query?.(form) ?? { value: form };
    if (isProblem(query)) return query;
    keepQuery(prepared, head.query, query.value);
    return { params: validParams.value, query: query.value };
  }

  #failure(error: unknown, arrival: { readonly id: string; readonly head: Pick<Head, 'method' | 'path'> }): Handled {
    if (error instanceof Unparsable) return problem('bad_request', error.message);
    const fields = { id: arrival.id, method: arrival.head.method, path: arrival.head.path, err: error };
    if (error instanceof Unavailable) {
      const added = this.#outages.admits(this.#services.clock.monotonicMs());
      if (added !== undefined) this.#logger.warn({ ...fields, ...added }, 'failed to answer a request: unavailable');
      return problem('unavailable', 'The service cannot answer now, please try again');
    }
    this.#logger.error(fields, 'failed to answer a request');
    return { status: 500, body: { error: `Something went wrong on our side (request ${arrival.id})` } };
  }
}

/**
 * Shows the page of a form again, with status 422. Returns the refusal where the page cannot show the form, for example
 * because the session has ended.
 */
async function shownAgain(
  { handle }: AnyRoute,
  request: Request<never, never, never>,
  problem: Problem,
): Promise<Answer | Problem> {
  const shown = await handle(request);
  const isPage = 'status' in shown && shown.status === 200 && shown.headers?.['content-type']?.startsWith('text/html');
  return isPage ? { ...shown, status: 422 } : problem;
}

/** Permits a call of a page. Without a person it may do what nobody needs a token for. */
function callerOf(route: AnyRoute, person: ApiPerson | undefined): Caller | Problem {
  if (person === undefined)
    return route.auth === 'none' || route.auth === 'optional' ? NOBODY : problem('unauthorized', 'Please sign in');
  return permit(route, sessionCaller(person));
}

const isKnownUser = ({ auth }: AnyRoute, caller: Caller | Problem | Promise<Caller | Problem>): boolean =>
  auth === 'user' && !(caller instanceof Promise) && !isProblem(caller);

/**
 * Caches a parsed query. Clients repeat queries, and parsing and validating one costs as much as finding a page in
 * memory.
 */
function keepQuery({ queries }: Prepared, text: string, value: unknown): void {
  if (text.length > QUERY_CHARS_MAX || typeof value !== 'object' || value === null) return;
  for (const one of Object.values(value)) if (typeof one === 'object' && one !== null) return;
  queries.set(text, Object.freeze(value));
}

function withHeaders(handled: Handled, { headers }: Standing): Answer {
  const answer = isProblem(handled) ? problemAnswer(handled) : handled;
  return { ...answer, headers: answer.headers === undefined ? headers : { ...answer.headers, ...headers } };
}

function decodeParams(names: readonly string[], raw: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (let index = 0; index < names.length; index++) params[names[index] ?? ''] = percentDecode(raw[index] ?? '');
  return params;
}

function prepare(route: AnyRoute, compile: (schema: TSchema) => Validate, caches: Caches): Prepared {
  const names = paramNames(route.path);
  return {
    method: route.method,
    path: route.path,
    route,
    names,
    isById: names.length === 1 && names[0] === 'id' && takesIds(route.params?.properties?.id),
    isLimited: isLimited(route.path),
    params: route.params && compile(route.params),
    query: route.query && compile(route.query),
    body: route.body && compile(route.body),
    queries: new Cache('parsed_queries', QUERIES_MAX, caches),
  };
}

/** Returns true if a schema is no stricter than `idText`. */
function takesIds(schema: TSchema | undefined): boolean {
  const said = Object.entries(schema ?? {});
  return said.length === 2 && said.every(([name, value]) => Reflect.get(ID_SCHEMA, name) === value);
}

/** Returns the number of body bytes that the route accepts. */
export function bodyBytesMax(match: Match<Prepared>, contentType: string | undefined): number {
  if (match.kind !== 'route' || match.route.route.multipartBytesMax === undefined) return BODY_BYTES_MAX;
  return contentType?.toLowerCase().startsWith('multipart/form-data')
    ? match.route.route.multipartBytesMax
    : BODY_BYTES_MAX;
}
