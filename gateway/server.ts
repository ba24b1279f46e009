import uws, { type HttpRequest, type HttpResponse } from 'uWebSockets.js';
import { problem } from '../actors/domain/problem.js';
import { Deadlines } from '../actors/domain/time.js';
import type { Bus } from '../transport/bus.js';
import { forPeople, isPlain } from './html/for-people.js';
import type { ApiAnswer, ApiCall, ApiPerson } from './http/api-call.js';
import { Authenticator } from './http/authenticator.js';
import { compressed, encodingOf } from './http/compression.js';
import { bodyBytesMax, Dispatcher, type GatewayLogger } from './http/dispatcher.js';
import { Exchange, workOf } from './http/exchange.js';
import { FileSender } from './http/file-sender.js';
import { healthAnswer, isHealthPath } from './http/health.js';
import type { BlockedAddresses } from './http/limits/address-blocks.js';
import { Admission, IN_FLIGHT_MAX, type Overload } from './http/limits/admission.js';
import { ANSWER_MS_MAX, AnswerWait } from './http/limits/answer-wait.js';
import { type ClientAddress, clientAddress } from './http/limits/client-address.js';
import { RateLimits } from './http/limits/rate-limits.js';
import { RATE_RULES, type RateRules, rateRules } from './http/limits/rate-rules.js';
import { linger } from './http/lingering.js';
import { problemAnswer } from './http/problem-answer.js';
import { BODY_BYTES_MAX } from './http/request/body.js';
import { BodyReader, hasBody, mayBeLong, UploadRoom } from './http/request/body-reader.js';
import { Head, isMisframed } from './http/request/head.js';
import { preflightHeaders } from './http/request/headers.js';
import { ConstantHead, isUsual, requestId, respond, respondAhead, respondUsual } from './http/responder.js';
import { type Answer, type AnyRoute, JsonText, Streamed } from './http/route.js';
import type { Services } from './http/services.js';
import { Listener } from './listener.js';
import { StreamingEndpoints } from './streaming/endpoints/endpoints.js';
import { PAGE_STREAM_PATH, PageSessions } from './streaming/endpoints/page-sessions.js';
import { STREAMING_PATH } from './streaming/endpoints/requests.js';
import { Hub } from './streaming/hub.js';
import type { StreamSources } from './streaming/sources.js';

export interface ServerOptions {
  readonly routes: readonly AnyRoute[];
  readonly services: Services;
  readonly bus: Bus;
  /** Absent: no streaming. */
  readonly streams?: StreamSources;
  readonly bind: string;
  /** 0: any free port. */
  readonly port: number;
  /** CIDRs, addresses, or `loopback`, whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  /** Absent: no address is blocked. */
  readonly blocked?: BlockedAddresses;
  readonly logger: GatewayLogger;
  /** Returns true if store, bus and shard ownership are available. Called by /health and /health/ready. */
  ready(): Promise<boolean> | boolean;
  /**
   * Returns true if the store has been unreachable for so long that no request can succeed: requests are refused at
   * once.
   */
  cutOff?(): boolean;
  /** Maximum age of the relations of streaming viewers: see hub-parts.ts. */
  readonly relationsAgeMaxMs?: () => number;
  /** Tests use a small value. */
  readonly inFlightMax?: number;
}

export interface Server {
  readonly port: number;
  /** Number of requests that got a 503 before any work was done for them, by reason. */
  readonly refused: Readonly<Record<Refusal, number>>;
  /** Calls the API in a person's name, without a request. */
  readonly apiFor: (person: ApiPerson, call: ApiCall) => Promise<ApiAnswer>;
  /** Handles a request as uWebSockets hands it over. Tests call it without a connection. */
  receive(response: HttpResponse, request: HttpRequest): void;
  /** Makes further answers close their connections (`Connection: close`) and the health pages report not ready. */
  announceDrain(): void;
  /**
   * Announces the drain, stops listening and closes streams with a reconnect hint. Resolves when every request in
   * flight is answered and no request has arrived for a while, or after `timeoutMs`. Requests that still arrive are
   * served.
   */
  drain(timeoutMs?: number): Promise<void>;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

/** A draining node counts as idle after this time without requests; keep-alive clients send requests more often than that. */
const QUIET_MS = 1_000;
const DRAIN_TIMEOUT_MS = 8_000;
const DRAIN_POLL_MS = 50;
/** Answers a preflight, equally for all paths: the routes decide the rest. */
function preflight({ headers }: Head): Answer {
  return { status: 204, headers: preflightHeaders(headers['access-control-request-headers']), body: undefined };
}
/** Reason for a 503 before any work is done for a request. */
type Refusal = Overload | 'no_store';
const refusal = (why: string): Answer => {
  const answer = problemAnswer(problem('unavailable', why));
  return { ...answer, body: new JsonText(Buffer.from(JSON.stringify(answer.body))) };
};
const OVERLOADED = refusal('The service is overloaded, please try again');
const CUT_OFF = refusal('The service cannot answer now, please try again');
const FORBIDDEN = problemAnswer(problem('forbidden', 'Requests from your address are blocked'));
/** Longest time until changed limits take effect. */
const RULES_KEPT_MS = 1_000;
/** Minimum interval between log lines about refused requests. */
const REFUSAL_LOG_MS = 5_000;

/** Returns true for health, preflights and streams. Streams have bounds of their own. */
function isServedAnyway(method: string, url: string): boolean {
  return method === 'OPTIONS' || isHealthPath(url) || url.startsWith(STREAMING_PATH) || url === PAGE_STREAM_PATH;
}

/** Starts the server. @throws Error when the port cannot be listened on */
export async function startServer(options: ServerOptions): Promise<Server> {
  const server = new GatewayServer(options);
  await server.listen();
  return server;
}

/** Builds the limits on the current rules, which are read again in the background at most once a second. */
function rateLimitsOf({ bus, services }: ServerOptions, node: string): RateLimits {
  const { clock, entries, instance } = services;
  const usual = instance.rateLimits ? (rateRules(instance.rateRules) ?? RATE_RULES) : 'off';
  let rules: RateRules | 'off' = usual;
  let lookedMs = Number.NEGATIVE_INFINITY;
  const look = async () => {
    const set = await entries?.setting('rate_limits');
    rules = (set === undefined ? usual : rateRules(set.text?.text)) ?? usual;
  };
  const current = () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lookedMs >= RULES_KEPT_MS) {
      lookedMs = nowMs;
      // On a failure of the store the rules stay as they were.
      look().catch(() => undefined);
    }
    return rules;
  };
  return new RateLimits({ bus, clock, node, rules: current });
}

class GatewayServer implements Server {
  port = 0;
  readonly #options: ServerOptions;
  readonly #app = uws.App();
  readonly #authenticator: Authenticator;
  readonly #dispatcher: Dispatcher;
  readonly #clientAddress: ClientAddress;
  readonly #rateLimits: RateLimits;
  readonly #streaming: StreamingEndpoints | undefined;
  readonly #idPrefix: string;
  readonly #usualHead: ConstantHead;
  readonly #refusalHead: ConstantHead;
  #requests = 0;
  readonly #admission: Admission;
  readonly #deadlines: Deadlines;
  readonly #uploadRoom = new UploadRoom();
  readonly #files: FileSender;
  readonly refused: Record<Refusal, number> = { in_flight: 0, waiting: 0, event_loop: 0, no_store: 0 };
  #refusalLoggedMs = Number.NEGATIVE_INFINITY;
  #lastRequestMs = 0;
  #draining = false;
  #listener: Listener | undefined;

  constructor(options: ServerOptions) {
    const { services, bus, logger } = options;
    this.#options = options;
    this.#idPrefix = Buffer.from(services.random.bytes(6)).toString('base64url');
    this.#usualHead = new ConstantHead(this.#idPrefix);
    this.#refusalHead = new ConstantHead(this.#idPrefix, OVERLOADED);
    this.#admission = new Admission(services.clock, options.inFlightMax ?? IN_FLIGHT_MAX);
    this.#deadlines = new Deadlines(services.clock);
    this.#files = new FileSender(logger);
    this.#authenticator = new Authenticator(services.tables, services.caches);
    const address = clientAddress(options.trustedProxies);
    this.#clientAddress = address;
    this.#rateLimits = rateLimitsOf(options, this.#idPrefix);
    this.#dispatcher = new Dispatcher(options.routes, services, this.#authenticator, address, logger, this.#rateLimits);
    if (options.streams !== undefined) {
      const { relationsAgeMaxMs, streams: sources } = options;
      const hub = new Hub({ services, bus, sources, logger, ...(relationsAgeMaxMs && { relationsAgeMaxMs }) });
      this.#streaming = new StreamingEndpoints(
        hub,
        this.#authenticator,
        services.instance.streamingRedirect,
        logger,
        services.clock,
        { address, blocked: options.blocked },
        new PageSessions(services),
      );
      this.#streaming.attach(this.#app);
    }
    this.#app.any('/*', (response, request) => this.receive(response, request));
  }

  async listen(): Promise<void> {
    const { bind, port, services } = this.#options;
    this.#listener = await Listener.open(this.#app, bind, port, services.clock);
    this.port = this.#listener.port;
  }

  readonly apiFor: Server['apiFor'] = (person, call) => this.#dispatcher.apiFor(person, call);

  announceDrain(): void {
    this.#draining = true;
  }

  async drain(timeoutMs = DRAIN_TIMEOUT_MS): Promise<void> {
    const { clock } = this.#options.services;
    this.announceDrain();
    const startedMs = clock.monotonicMs();
    this.#lastRequestMs = startedMs;
    await this.#listener?.leave(timeoutMs);
    this.#streaming?.drain();
    this.#files.drain();
    const settled = () =>
      (this.#admission.inFlight + this.#files.open === 0 && clock.monotonicMs() - this.#lastRequestMs >= QUIET_MS) ||
      clock.monotonicMs() - startedMs >= timeoutMs;
    while (!settled()) await new Promise<void>((resolve) => void clock.after(DRAIN_POLL_MS, resolve));
  }

  async close(): Promise<void> {
    this.#draining = true;
    this.#listener?.close();
    await this.#streaming?.close();
    await this.#rateLimits.close();
    this.#app.close();
    this.#admission.close();
  }

  receive(response: HttpResponse, request: HttpRequest): void {
    const nowMs = this.#options.services.clock.monotonicMs();
    this.#lastRequestMs = nowMs;
    const method = request.getCaseSensitiveMethod();
    const refused = this.#refusalOf(method, request, nowMs);
    if (refused !== undefined && !isServedAnyway(method, request.getUrl()) && !isMisframed(request)) {
      this.#refuse(response, request, method, refused);
      return;
    }
    const head = new Head(request, method);
    const exchange = new Exchange(response, head, this.#idPrefix, ++this.#requests, nowMs);
    if (head.misframed) {
      this.#dismiss(exchange);
      return;
    }
    if (this.#options.blocked?.any === true && this.#isBlocked(exchange, this.#options.blocked)) {
      const isLong = mayBeLong(request);
      const closing = this.#draining || isLong;
      if (isLong && method !== 'HEAD') this.#answerAhead(response, FORBIDDEN, exchange.id);
      else
        respond(response, this.#shaped(exchange, FORBIDDEN), { id: exchange.id, bodiless: method === 'HEAD', closing });
      return;
    }
    const match = this.#dispatcher.match(head);
    if (match.kind !== 'route') {
      if (head.malformed === undefined && this.#streaming?.serves(head) === true) {
        this.#streaming.serve(response, head, exchange.id, (refusal) => this.#shaped(exchange, refusal));
        return;
      }
      if (head.method === 'OPTIONS' || isHealthPath(head.path)) {
        this.#serve(exchange, this.#unrouted(head));
        return;
      }
    }
    if (hasBody(head)) {
      const bytesMax = bodyBytesMax(match, head.contentType);
      const room = bytesMax > BODY_BYTES_MAX ? this.#uploadRoom : undefined;
      exchange.body = new BodyReader(response, head, bytesMax, room);
    }
    this.#serve(exchange, this.#dispatcher.answer(match, exchange));
  }

  /**
   * Answers 400 and closes the connection. uWebSockets serves further requests of the same packet even if the answer
   * closes the connection, unless the answer is still missing: then it closes the connection at once, without an
   * answer. The answer therefore waits until the packet is read.
   */
  #dismiss(exchange: Exchange): void {
    exchange.watch();
    setImmediate(() => {
      if (exchange.aborted) return;
      const { id, head } = exchange;
      const answer = problemAnswer(problem('bad_request', head.malformed ?? 'Malformed request'));
      respond(exchange.response, this.#shaped(exchange, answer), {
        id,
        bodiless: head.method === 'HEAD',
        closing: true,
      });
    });
  }

  /**
   * Returns true if the client's address is blocked. Health checks are never blocked: load balancers must not take the
   * node for dead.
   */
  #isBlocked(exchange: Exchange, blocked: BlockedAddresses): boolean {
    const { head } = exchange;
    if (isHealthPath(head.path)) return false;
    return blocked.has(this.#clientAddress(exchange.connected(), head.headers['x-forwarded-for']));
  }

  /** Answers health checks and preflights, independently of the load. */
  #unrouted(head: Head): Answer | Promise<Answer> {
    if (head.method === 'OPTIONS') return preflight(head);
    return healthAnswer(head.path, () => !this.#draining && this.#options.ready());
  }

  #serve(exchange: Exchange, answer: Answer | Promise<Answer | undefined>): void {
    if (!(answer instanceof Promise)) {
      this.#finish(exchange, answer, true);
      return;
    }
    exchange.watch();
    void this.#finishLater(exchange, answer);
  }

  #refusalOf(method: string, request: HttpRequest, nowMs: number): Refusal | undefined {
    if (this.#options.cutOff?.() === true) return 'no_store';
    const path = method === 'POST' ? request.getUrl() : '';
    const work = workOf(method, path);
    const { inbox } = this.#options.services;
    if (work !== 'inbox') inbox.yieldToPeople();
    else if (inbox.isFull) return 'waiting';
    return this.#admission.refusal(work, nowMs);
  }

  /** Refuses a request at the lowest cost. uWebSockets discards the body, if any. */
  #refuse(response: HttpResponse, request: HttpRequest, method: string, reason: Refusal): void {
    const answer = reason === 'no_store' ? CUT_OFF : OVERLOADED;
    this.refused[reason]++;
    if (this.#lastRequestMs >= this.#refusalLoggedMs + REFUSAL_LOG_MS) {
      this.#refusalLoggedMs = this.#lastRequestMs;
      const message =
        reason === 'no_store' ? 'refused requests: the store does not answer' : 'refused requests: overloaded';
      this.#options.logger.warn({ reason, inFlight: this.#admission.inFlight }, message);
    }
    const isLong = mayBeLong(request);
    const closing = this.#draining || isLong;
    const number = ++this.#requests;
    if (!isLong && method === 'GET' && request.getHeader('accept').startsWith('text/html')) {
      const id = requestId(this.#idPrefix, number);
      const shown = this.#forPeople(new Head(request, method), answer, id);
      respond(response, shown, { id, bodiless: false, closing });
      return;
    }
    if (!isLong && method !== 'HEAD') {
      respondUsual(response, { body: answer.body }, this.#refusalHead.of(number), closing);
      return;
    }
    const id = requestId(this.#idPrefix, number);
    if (method === 'HEAD') respond(response, answer, { id, bodiless: true, closing });
    else this.#answerAhead(response, answer, id);
  }

  async #finishLater(exchange: Exchange, pending: Promise<Answer | undefined>): Promise<void> {
    this.#admission.began(exchange.work);
    const { clock } = this.#options.services;
    const wait = new AnswerWait(clock, this.#deadlines, () => this.#giveUp(exchange), exchange.body?.done);
    let answer: Answer | undefined;
    try {
      answer = await pending;
    } catch (err) {
      answer = this.#failure(exchange, err);
    }
    if (wait.isOver) return;
    wait.end();
    this.#conclude(exchange, answer);
  }

  /** Refuses a request whose answer does not come. */
  #giveUp(exchange: Exchange): void {
    const { id, head } = exchange;
    const match = this.#dispatcher.match(head);
    const path = match.kind === 'route' ? match.route.path : head.path;
    const fields = { id, method: head.method, path, waitedMs: ANSWER_MS_MAX };
    this.#options.logger.error(fields, 'gave up a request: its handler has not answered');
    this.#conclude(exchange, CUT_OFF);
  }

  #conclude(exchange: Exchange, answer: Answer | undefined): void {
    const tookMs = this.#options.services.clock.monotonicMs() - exchange.startedMs;
    this.#admission.ended(exchange.work, tookMs, answer !== undefined && answer.status < 400);
    this.#finish(exchange, answer, false);
  }

  /**
   * Sends an answer. `corked`: the call comes from uWebSockets' own request handler, which sends all output at its end.
   */
  #finish(exchange: Exchange, answer: Answer | undefined, corked: boolean): void {
    if (answer !== undefined) {
      try {
        this.#send(exchange, this.#shaped(exchange, answer), corked);
      } catch (err) {
        this.#send(exchange, this.#failure(exchange, err), corked);
      }
    }
    const { logger, services } = this.#options;
    if (logger.isLevelEnabled?.('debug') === false) return;
    const { id, head, startedMs } = exchange;
    const ms = services.clock.monotonicMs() - startedMs;
    logger.debug({ id, method: head.method, path: head.path, status: answer?.status, ms }, 'request');
  }

  /** Returns the answer as the client wants it: pages for people, and texts compressed. */
  #shaped(exchange: Exchange, answer: Answer): Answer {
    const { head } = exchange;
    // The id is composed on demand; most answers are plain.
    const shown = isPlain(answer, head) ? answer : this.#forPeople(head, answer, exchange.id);
    const encoding = this.#options.services.instance.compression
      ? encodingOf(head.first('accept-encoding'))
      : undefined;
    return encoding === undefined ? shown : compressed(shown, encoding);
  }

  #forPeople(head: Head, answer: Answer, requestId: string): Answer {
    const match = this.#dispatcher.match(head);
    const route = match.kind === 'route' ? match.route : undefined;
    return forPeople(this.#options.services.instance, { head, answer, requestId, route });
  }

  #send(exchange: Exchange, answer: Answer, corked: boolean): void {
    if (exchange.aborted) return;
    const { response, head, body, number } = exchange;
    const closing = this.#draining || body?.unread === true;
    if (answer.body instanceof Streamed && head.method !== 'HEAD') {
      if (this.#files.full) {
        this.#send(exchange, OVERLOADED, corked);
        return;
      }
      void this.#files.send(exchange, answer, answer.body, closing);
      exchange.answered = true;
      return;
    }
    if (body?.unread === true && head.method !== 'HEAD') {
      this.#answerAhead(response, answer, exchange.id);
    } else if (head.method === 'HEAD' || !isUsual(answer)) {
      respond(response, answer, { id: exchange.id, bodiless: head.method === 'HEAD', closing });
    } else if (corked) respondUsual(response, answer, this.#usualHead.of(number), closing);
    else response.cork(() => respondUsual(response, answer, this.#usualHead.of(number), closing));
    exchange.answered = true;
  }

  /** Answers a request whose body nobody reads. */
  #answerAhead(response: HttpResponse, answer: Answer, id: string): void {
    respondAhead(response, answer, id);
    linger(response, this.#options.services.clock);
  }

  #failure({ id }: Exchange, err: unknown): Answer {
    this.#options.logger.error({ id, err }, 'failed to send an answer');
    return { status: 500, body: { error: `Something went wrong on our side (request ${id})` } };
  }
}
