import uws, { type HttpRequest, type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import { problem } from '../actors/domain/problem.js';
import type { Bus } from '../transport/bus.js';
import { Authenticator } from './http/authenticator.js';
import { BodyReader } from './http/body-reader.js';
import { clientAddress } from './http/client-address.js';
import { bodyBytesMax, Dispatcher, type GatewayLogger, healthAnswer } from './http/dispatcher.js';
import { type Head, readHead } from './http/head.js';
import { PREFLIGHT_HEADERS } from './http/headers.js';
import { problemAnswer } from './http/problem-answer.js';
import { respond } from './http/responder.js';
import type { Answer, AnyRoute } from './http/route.js';
import type { Services } from './services.js';
import { StreamingEndpoints } from './streaming/endpoints.js';
import { Hub } from './streaming/hub.js';
import type { StreamSources } from './streaming/sources.js';

export interface ServerOptions {
  readonly routes: readonly AnyRoute[];
  readonly services: Services;
  readonly bus: Bus;
  /** Absent: no streaming. */
  readonly streams?: StreamSources;
  readonly bind: string;
  /** 0: any free one. */
  readonly port: number;
  /** CIDRs, addresses, or `loopback`, whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  readonly logger: GatewayLogger;
  /** Whether store, bus and shard ownership are there; asked by /health and /health/ready. */
  ready(): Promise<boolean> | boolean;
  /** Tests make it small. */
  readonly inFlightMax?: number;
}

export interface Server {
  readonly port: number;
  /**
   * Stops listening, closes streams with a reconnect hint, ends each connection with its next answer, and resolves
   * when no request came for a while (or after `timeoutMs`). Requests that still come are served.
   */
  drain(timeoutMs?: number): Promise<void>;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

/** Requests served at a time on one node: at some 100 KB each in the worst case, this bounds memory and waiting. */
export const IN_FLIGHT_MAX = 4_096;
/** A draining node is quiet when nothing was asked for this long; keep-alive clients ask more often than that. */
const QUIET_MS = 1_000;
const DRAIN_TIMEOUT_MS = 8_000;
const DRAIN_POLL_MS = 50;
/** Answers one preflight for all paths: the routes say the rest. */
const PREFLIGHT: Answer = { status: 204, headers: Object.fromEntries(PREFLIGHT_HEADERS), body: undefined };

/** LIBUS_LISTEN_EXCLUSIVE_PORT, and `listen` with host and options: the library has both, its types do not. */
const LISTEN_EXCLUSIVE_PORT = 1;
type Listen = (host: string, port: number, options: number, then: (socket: us_listen_socket | false) => void) => void;
function listenOn(app: TemplatedApp, ...how: Parameters<Listen>): void {
  (app as unknown as { listen: Listen }).listen(...how);
}

/** @throws Error when the port cannot be listened on */
export async function startServer(options: ServerOptions): Promise<Server> {
  const server = new GatewayServer(options);
  await server.listen();
  return server;
}

class GatewayServer implements Server {
  port = 0;
  readonly #options: ServerOptions;
  readonly #app = uws.App();
  readonly #authenticator: Authenticator;
  readonly #dispatcher: Dispatcher;
  readonly #streaming: StreamingEndpoints | undefined;
  readonly #idPrefix: string;
  #requests = 0;
  #inFlight = 0;
  #lastRequestMs = 0;
  #draining = false;
  #listening: us_listen_socket | undefined;

  constructor(options: ServerOptions) {
    const { services, bus, logger } = options;
    this.#options = options;
    this.#idPrefix = Buffer.from(services.random.bytes(6)).toString('base64url');
    this.#authenticator = new Authenticator(services.tables, bus, (err) =>
      logger.warn({ err }, 'account topic failed'),
    );
    const address = clientAddress(options.trustedProxies);
    const forgetToken = (hash: string) => this.#authenticator.forget(hash);
    this.#dispatcher = new Dispatcher(
      options.routes,
      { ...services, forgetToken },
      this.#authenticator,
      address,
      logger,
    );
    if (options.streams !== undefined) {
      const hub = new Hub({ services, bus, sources: options.streams, logger });
      this.#streaming = new StreamingEndpoints(
        hub,
        this.#authenticator,
        services.instance.streamingRedirect,
        logger,
        services.clock,
      );
      this.#streaming.attach(this.#app);
    }
    this.#app.any('/*', (response, request) => this.#receive(response, request));
  }

  listen(): Promise<void> {
    const { bind, port } = this.#options;
    return new Promise((resolve, reject) => {
      // Exclusive: two servers on one port would share its connections unnoticed.
      listenOn(this.#app, bind, port, LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket === false) {
          reject(new Error(`cannot listen on ${bind}:${port}`));
          return;
        }
        this.#listening = socket;
        this.port = uws.us_socket_local_port(socket);
        resolve();
      });
    });
  }

  async drain(timeoutMs = DRAIN_TIMEOUT_MS): Promise<void> {
    const { clock } = this.#options.services;
    this.#draining = true;
    this.#stopListening();
    this.#streaming?.drain();
    const startedMs = clock.monotonicMs();
    this.#lastRequestMs = startedMs;
    const settled = () =>
      (this.#inFlight === 0 && clock.monotonicMs() - this.#lastRequestMs >= QUIET_MS) ||
      clock.monotonicMs() - startedMs >= timeoutMs;
    while (!settled()) await new Promise<void>((resolve) => void clock.after(DRAIN_POLL_MS, resolve));
  }

  async close(): Promise<void> {
    this.#draining = true;
    this.#stopListening();
    await this.#streaming?.close();
    this.#app.close();
    await this.#authenticator.close();
  }

  #stopListening(): void {
    if (this.#listening !== undefined) uws.us_listen_socket_close(this.#listening);
    this.#listening = undefined;
  }

  #receive(response: HttpResponse, request: HttpRequest): void {
    const head = readHead(request);
    const id = `${this.#idPrefix}${(++this.#requests).toString(36)}`;
    this.#lastRequestMs = this.#options.services.clock.monotonicMs();
    if (head.malformed === undefined && this.#streaming?.serves(head) === true) {
      this.#streaming.serve(response, head, id);
      return;
    }
    const match = this.#dispatcher.match(head);
    const { headers } = head;
    const chunked = headers['transfer-encoding'] !== undefined;
    const body = new BodyReader(
      response,
      headers['content-length'],
      chunked,
      bodyBytesMax(match, headers['content-type']),
    );
    let aborted = false;
    response.onAborted(() => {
      aborted = true;
      body.abort();
    });
    const address = response.getRemoteAddressAsText();
    const connected = () => Buffer.from(address).toString();
    const send = (answer: Answer) => {
      if (!aborted) this.#send(response, answer, head, id, body.unread);
    };
    if (this.#inFlight >= (this.#options.inFlightMax ?? IN_FLIGHT_MAX)) {
      send(problemAnswer(problem('unavailable', 'The service is overloaded, please try again')));
      return;
    }
    this.#inFlight++;
    const startedMs = this.#lastRequestMs;
    this.#answer(head, () => this.#dispatcher.answer(match, { id, head, connected, body }))
      .then((answer) => {
        if (answer !== undefined) send(answer);
        const ms = this.#options.services.clock.monotonicMs() - startedMs;
        this.#options.logger.debug({ id, method: head.method, path: head.path, status: answer?.status, ms }, 'request');
      })
      .catch((err) => {
        this.#options.logger.error({ id, err }, 'answer could not be sent');
        send({ status: 500, body: { error: `Something went wrong on our side (request ${id})` } });
      })
      .finally(() => {
        this.#inFlight--;
      });
  }

  #answer(head: Head, dispatch: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    if (head.method === 'OPTIONS') return Promise.resolve(PREFLIGHT);
    if (!head.path.includes('/health')) return dispatch();
    const health = healthAnswer(head.path, () => !this.#draining && this.#options.ready());
    return health.then((answer) => answer ?? dispatch());
  }

  #send(response: HttpResponse, answer: Answer, head: Head, id: string, unread: boolean): void {
    respond(response, answer, { id, bodiless: head.method === 'HEAD', closing: this.#draining || unread });
  }
}
