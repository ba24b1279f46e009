import uws, {
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_socket_context_t,
  type WebSocket,
} from 'uWebSockets.js';
import { isProblem, type Problem, problem, Unavailable } from '../../actors/domain/problem.js';
import type { Clock, Timer } from '../../actors/domain/time.js';
import { type Authenticated, type Authenticator, bearerToken, usable } from '../http/authenticator.js';
import { permit } from '../http/authorize.js';
import type { GatewayLogger } from '../http/dispatcher.js';
import type { BlockedAddresses } from '../http/limits/address-blocks.js';
import type { ClientAddress } from '../http/limits/client-address.js';
import { HTTP_STATUS, problemAnswer } from '../http/problem-answer.js';
import { parseUrlEncoded, Unparsable } from '../http/request/form.js';
import { Head } from '../http/request/head.js';
import { respond } from '../http/responder.js';
import { type Answer, redirect } from '../http/route.js';
import { grants } from '../http/scopes.js';
import { EventSourceStream } from './event-source.js';
import type { Hub } from './hub.js';
import { PAGE_STREAM_PATH, type PageSessions } from './page-sessions.js';
import { type Since, sinceOf } from './position.js';
import { ofNamed, type StreamKind, type StreamNames, streamAt, streamNamed } from './stream-kinds.js';
import { MessageCount, SOCKET_BUFFERED_BYTES_MAX, type SocketData, WebSocketStream } from './web-socket.js';

export const STREAMING_PATH = '/api/v1/streaming';
/** Largest message; a subscribe message has some 60 bytes. */
const MESSAGE_BYTES_MAX = 4_096;
/** Interval of WebSocket pings, well below the timeout of common proxies (60 s). */
const IDLE_SECONDS = 32;
const HEARTBEAT_MS = 15_000;
/** Interval of checks for an unreachable bus. */
const LOOK_MS = 1_000;
/** Open streams of one node; each takes some kilobytes. */
const STREAMS_MAX = 50_000;
/** Open streams of one account on one node: some devices with some tabs. */
export const STREAMS_PER_ACCOUNT_MAX = 100;
/** Streams of one connection: every kind, and every list that an account can have. */
const STREAMS_PER_CONNECTION_MAX = 60;

/** Names read from a stream's any, all or none. */
const NAMES_READ_MAX = 20;

const UNKNOWN_STREAM = problem('bad_request', 'Unknown stream type');
const BLOCKED = problem('forbidden', 'Requests from your address are blocked');
const TOO_MANY = problem('rate_limited', 'Too many streams');
const TOO_MANY_MESSAGES = problem('rate_limited', 'Too many messages');
const NOT_HERE = problem('unavailable', 'Streams are not available here now, please try again');
const OUTSIDE_SCOPES = problem('forbidden', 'This action is outside the authorized scopes');

/** Request to open a stream: the caller, the kind, and the position to resume from. */
interface Opening {
  readonly viewer: string;
  readonly tokenHash: string;
  readonly scopes: readonly string[];
  readonly kind: StreamKind | undefined;
  readonly since: Since | undefined;
  readonly address: string;
}

/** Client addresses, and the addresses whose streams are refused. */
interface Addresses {
  readonly address: ClientAddress;
  readonly blocked: BlockedAddresses | undefined;
}

/** Endpoints of /api/v1/streaming: WebSockets and server-sent events on one hub. */
export class StreamingEndpoints {
  readonly #hub: Hub;
  readonly #authenticator: Authenticator;
  readonly #elsewhere: URL | undefined;
  readonly #logger: GatewayLogger;
  readonly #clock: Clock;
  readonly #addresses: Addresses;
  readonly #sessions: PageSessions;
  #beat: Timer | undefined;
  #look: Timer | undefined;
  #draining = false;

  /** `streamingRedirect` is the separate address of streaming, if one is set. */
  constructor(
    hub: Hub,
    authenticator: Authenticator,
    streamingRedirect: string | undefined,
    logger: GatewayLogger,
    clock: Clock,
    addresses: Addresses,
    sessions: PageSessions,
  ) {
    this.#hub = hub;
    this.#authenticator = authenticator;
    this.#elsewhere = streamingRedirect === undefined ? undefined : new URL(streamingRedirect.replace(/^ws/, 'http'));
    this.#logger = logger;
    this.#clock = clock;
    this.#addresses = addresses;
    this.#sessions = sessions;
    const { blocked } = addresses;
    blocked?.onChanged(() => hub.closeFrom((address) => blocked.has(address)));
    hub.checkTokensWith(async (connection) => {
      const found = await authenticator.byHash(connection.tokenHash);
      if (found === undefined) return sessions.allows(connection.tokenHash);
      return found.account !== undefined && usable(found.account);
    });
    this.#scheduleHeartbeat();
    this.#scheduleLook();
  }

  attach(app: TemplatedApp): void {
    const behaviour = {
      maxPayloadLength: MESSAGE_BYTES_MAX,
      maxBackpressure: SOCKET_BUFFERED_BYTES_MAX,
      idleTimeout: IDLE_SECONDS,
      sendPingsAutomatically: true,
      compression: uws.DISABLED,
      upgrade: (response: HttpResponse, request: HttpRequest, context: us_socket_context_t) =>
        this.#upgrade(response, request, context),
      open: (socket: WebSocket<SocketData>) => this.#opened(socket),
      message: (socket: WebSocket<SocketData>, message: ArrayBuffer) => this.#received(socket, message),
      drain: (socket: WebSocket<SocketData>) => streamOf(socket)?.flowed(),
      close: (socket: WebSocket<SocketData>) => this.#closed(socket),
    };
    app.ws<SocketData>(STREAMING_PATH, behaviour);
    app.ws<SocketData>(`${STREAMING_PATH}/*`, behaviour);
  }

  /** Returns true if a plain request belongs here. */
  serves(head: Head): boolean {
    if (head.method !== 'GET') return false;
    return isPages(head) || head.path === STREAMING_PATH || head.path.startsWith(`${STREAMING_PATH}/`);
  }

  /** Answers a plain GET: a redirect, a refusal, or a stream of events. `shaped` gives an answer its form. */
  serve(response: HttpResponse, head: Head, id: string, shaped: (answer: Answer) => Answer): void {
    let aborted = false;
    let stream: EventSourceStream | undefined;
    response.onAborted(() => {
      aborted = true;
      stream?.gone();
    });
    const answer = (given: Answer) => {
      if (!aborted) respond(response, shaped(given), { id, bodiless: false, closing: this.#draining });
    };
    const plain = this.#plainAnswer(head);
    if (plain !== undefined) {
      answer(plain);
      return;
    }
    const address = this.#addressOf(response, head);
    const kind = sseKind(head);
    if (isProblem(kind)) {
      answer(problemAnswer(kind));
      return;
    }
    this.#admit(head, kind, [], address)
      .then((opening) => {
        if (aborted) return undefined;
        if (isProblem(opening) || opening.kind === undefined) {
          answer(problemAnswer(isProblem(opening) ? opening : UNKNOWN_STREAM));
          return undefined;
        }
        // Other streams may have been admitted at the same time.
        if (this.#isFull(opening.viewer)) {
          answer(problemAnswer(TOO_MANY));
          return undefined;
        }
        stream = new EventSourceStream(response);
        stream.start(id, isPages(head));
        return this.#stream(stream, opening, opening.kind);
      })
      .catch((err) => this.#logger.error({ id, err }, 'failed to serve a stream'));
  }

  /** Disconnects all clients and refuses new ones. */
  drain(): void {
    this.#draining = true;
    this.#hub.drain();
  }

  async close(): Promise<void> {
    this.#draining = true;
    this.#beat?.cancel();
    this.#look?.cancel();
    await this.#hub.close();
  }

  #plainAnswer(head: Head): Answer | undefined {
    // Cookies belong to this host.
    if (this.#elsewhere !== undefined && head.headers.host !== this.#elsewhere.host && !isPages(head)) {
      const base = this.#elsewhere.href.replace(/\/$/, '');
      const query = head.query === '' ? '' : `?${head.query}`;
      return redirect(`${base}${head.path}${query}`, 301);
    }
    if (head.path === `${STREAMING_PATH}/health`) {
      if (this.#draining || this.#hub.deaf) return problemAnswer(NOT_HERE);
      return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'OK' };
    }
    return undefined;
  }

  async #stream(stream: EventSourceStream, opening: Opening, kind: StreamKind): Promise<void> {
    const connection = this.#hub.connect(opening.viewer, opening.tokenHash, opening.scopes, stream, opening.address);
    stream.onClosed = () => this.#hub.disconnect(connection);
    await this.#hub.subscribe(connection, kind, opening.since);
  }

  /** Checks token, account, scope and limits of a new stream. Never rejects. */
  async #admit(
    head: Head,
    kind: StreamKind | undefined,
    protocols: readonly string[],
    address: string,
  ): Promise<Opening | Problem> {
    try {
      if (head.malformed !== undefined) return problem('bad_request', head.malformed);
      if (this.#addresses.blocked?.has(address) === true) return BLOCKED;
      if (this.#draining || this.#hub.deaf || this.#hub.connections >= STREAMS_MAX) return NOT_HERE;
      const query = parseUrlEncoded(head.query);
      const token = bearerToken(head.authorization) ?? textOf(query.access_token) ?? protocols[0];
      const found = await (isPages(head) ? this.#sessions.of(head) : this.#byToken(token));
      if (isProblem(found)) return found;
      const caller = permit({ auth: 'user' }, found);
      if (isProblem(caller)) return caller;
      const viewer = found.token.accountId ?? '';
      if (kind !== undefined && !grants(found.token.scopes, kind.scope)) return OUTSIDE_SCOPES;
      if (this.#isFull(viewer)) return TOO_MANY;
      const since = sinceOf(head.headers['last-event-id'] ?? textOf(query.since));
      if (isProblem(since)) return since;
      const chosen = kind && (await this.#hub.chosen(viewer, kind, namesOf(query)));
      if (isProblem(chosen)) return chosen;
      return { viewer, tokenHash: found.hash, scopes: found.token.scopes, kind: chosen, since, address };
    } catch (error) {
      if (error instanceof Unparsable) return problem('bad_request', error.message);
      if (!(error instanceof Unavailable)) this.#logger.error({ err: error }, 'failed to open a stream');
      return problem('unavailable', 'The service cannot answer now, please try again');
    }
  }

  async #byToken(token = ''): Promise<Authenticated | Problem> {
    const found = await this.#authenticator.authenticate(token);
    return found ?? problem('unauthorized', 'The access token is invalid');
  }

  #isFull(viewer: string): boolean {
    return this.#hub.connectionsOf(viewer) >= STREAMS_PER_ACCOUNT_MAX;
  }

  #upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const head = new Head(request);
    const key = head.headers['sec-websocket-key'] ?? '';
    const named = (head.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    const protocols = named.filter((one) => one !== '');
    const extensions = head.headers['sec-websocket-extensions'] ?? '';
    const address = this.#addressOf(response, head);
    let aborted = false;
    response.onAborted(() => {
      aborted = true;
    });
    const answer = (given: Answer) => {
      if (!aborted) respond(response, given, { id: key, bodiless: false, closing: true });
    };
    const elsewhere = this.#elsewhere === undefined ? undefined : this.#plainAnswer(head);
    if (elsewhere?.status === 301) {
      answer(elsewhere);
      return;
    }
    this.#admitSocket(head, protocols, address)
      .then((opening) => {
        if (aborted) return;
        if (isProblem(opening)) {
          answer(problemAnswer(opening));
          return;
        }
        if (this.#isFull(opening.viewer)) {
          answer(problemAnswer(TOO_MANY));
          return;
        }
        const { kind, ...rest } = opening;
        const data: SocketData = { ...rest, first: kind, connection: undefined, messages: new MessageCount() };
        response.cork(() => response.upgrade(data, key, protocols[0] ?? '', extensions, context));
      })
      .catch((err) => this.#logger.error({ err }, 'failed to open a stream'));
  }

  async #admitSocket(head: Head, protocols: readonly string[], address: string): Promise<Opening | Problem> {
    const named = namedIn(head);
    if (isProblem(named)) return named;
    // Some clients open the SSE path as a WebSocket.
    const kind = named === undefined ? streamAt(head.path.slice(STREAMING_PATH.length)) : streamNamed(named);
    if (named !== undefined && kind === undefined) return UNKNOWN_STREAM;
    return this.#admit(head, kind, protocols, address);
  }

  /** Returns the client's address. Must be called within uWebSockets' own handler. */
  #addressOf(response: HttpResponse, head: Head): string {
    const connected = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
    return this.#addresses.address(connected, head.headers['x-forwarded-for']);
  }

  #opened(socket: WebSocket<SocketData>): void {
    const data = socket.getUserData();
    const stream = new WebSocketStream(socket);
    data.connection = this.#hub.connect(data.viewer, data.tokenHash, data.scopes, stream, data.address);
    if (data.first !== undefined) this.#subscribe(data, data.first, data.since);
  }

  #closed(socket: WebSocket<SocketData>): void {
    const { connection } = socket.getUserData();
    if (connection === undefined) return;
    streamOf(socket)?.gone();
    this.#hub.disconnect(connection);
  }

  /** Handles a message. uWebSockets calls it, so an exception would end the process. */
  #received(socket: WebSocket<SocketData>, bytes: ArrayBuffer): void {
    try {
      this.#message(socket, bytes);
    } catch (err) {
      this.#logger.error({ err }, 'failed to read a message of a stream');
      socket.close();
    }
  }

  #message(socket: WebSocket<SocketData>, bytes: ArrayBuffer): void {
    const data = socket.getUserData();
    if (data.connection === undefined) return;
    const stream = data.connection.socket as WebSocketStream;
    if (!data.messages.admits(this.#clock.monotonicMs())) {
      stream.refuse(TOO_MANY_MESSAGES.detail, HTTP_STATUS[TOO_MANY_MESSAGES.problem]);
      stream.close('flood');
      return;
    }
    const message = parseMessage(bytes);
    const named = message === undefined ? undefined : streamNamed(message.stream);
    const kind = named && ofNamed(named, message?.names ?? {});
    const since = message === undefined ? undefined : sinceOf(message.since);
    if (message === undefined) stream.refuse('Malformed message', 400);
    else if (kind === undefined) stream.refuse(UNKNOWN_STREAM.detail, 400);
    else if (isProblem(kind)) stream.refuse(kind.detail, HTTP_STATUS[kind.problem]);
    else if (isProblem(since)) stream.refuse(since.detail, 400);
    else if (message.type === 'unsubscribe') this.#hub.unsubscribe(data.connection, kind);
    else if (!grants(data.scopes, kind.scope)) stream.refuse(OUTSIDE_SCOPES.detail, 403);
    else if (data.connection.subscriptions.size >= STREAMS_PER_CONNECTION_MAX) stream.refuse('Too many streams', 429);
    else {
      this.#subscribe(data, kind, since);
      if (kind.list !== undefined) this.#checkList(data, kind, stream);
    }
  }

  #subscribe(data: SocketData, kind: StreamKind, since: Since | undefined): void {
    if (data.connection === undefined) return;
    this.#hub
      .subscribe(data.connection, kind, since)
      .catch((err) => this.#logger.error({ err, stream: kind.name }, 'failed to subscribe a stream'));
  }

  /**
   * Unsubscribes a list that does not exist. Until the check is complete no event is sent, because the lens contains
   * only the viewer's own lists.
   */
  #checkList({ connection, viewer }: SocketData, kind: StreamKind, stream: WebSocketStream): void {
    this.#hub
      .chosen(viewer, kind, { list: kind.list })
      .then((chosen) => {
        if (connection === undefined || !isProblem(chosen)) return;
        this.#hub.unsubscribe(connection, kind);
        stream.refuse(chosen.detail, HTTP_STATUS[chosen.problem]);
      })
      // Without an answer the stream stays open; it sends nothing if there is no such list.
      .catch((err) => this.#logger.warn({ err, stream: kind.name }, 'failed to look up the list of a stream'));
  }

  #scheduleLook(): void {
    this.#look = this.#clock.after(LOOK_MS, () => {
      const { connections, deaf } = this.#hub;
      if (deaf && connections > 0) {
        this.#logger.warn({ streams: connections }, 'disconnected streams: the bus is unreachable');
        this.#hub.drain('deaf');
      }
      this.#scheduleLook();
    });
  }

  #scheduleHeartbeat(): void {
    this.#beat = this.#clock.after(HEARTBEAT_MS, () => {
      this.#hub
        .heartbeat()
        .catch((err) => this.#logger.warn({ err }, 'failed to check the tokens of streams'))
        .finally(() => {
          if (!this.#draining) this.#scheduleHeartbeat();
        });
    });
  }
}

/** Returns the stream that the path names. The bare path takes the parameter `stream`, as WebSockets do. */
function sseKind(head: Head): StreamKind | Problem {
  if (isPages(head)) return streamNamed('user') ?? UNKNOWN_STREAM;
  const path = head.path.slice(STREAMING_PATH.length);
  const named = path === '' || path === '/' ? namedIn(head) : undefined;
  if (isProblem(named)) return named;
  if (named !== undefined) return streamNamed(named) ?? UNKNOWN_STREAM;
  return streamAt(path) ?? problem('not_found', 'There is no such stream');
}

/** Returns true for the stream of the built-in client's pages. */
const isPages = ({ path }: Head): boolean => path === PAGE_STREAM_PATH;

function namedIn(head: Head): string | undefined | Problem {
  try {
    return textOf(parseUrlEncoded(head.query).stream);
  } catch (error) {
    if (error instanceof Unparsable) return problem('bad_request', error.message);
    throw error;
  }
}

const streamOf = (socket: WebSocket<SocketData>): WebSocketStream | undefined =>
  socket.getUserData().connection?.socket as WebSocketStream | undefined;

interface Message {
  readonly type: 'subscribe' | 'unsubscribe';
  readonly stream: string;
  readonly names: StreamNames;
  readonly since: string | undefined;
}

function parseMessage(bytes: ArrayBuffer): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, stream, since } = value as Readonly<Record<string, unknown>>;
  if ((type !== 'subscribe' && type !== 'unsubscribe') || typeof stream !== 'string') return undefined;
  const names = namesOf(value as Readonly<Record<string, unknown>>);
  if (since === undefined || since === null) return { type, stream, names, since: undefined };
  // Only these types convert to text without calling code of the client: `{"toString":1}` would throw.
  return typeof since === 'string' || typeof since === 'number'
    ? { type, stream, names, since: `${since}` }
    : undefined;
}

/** Reads the names of a list or hashtags. A list may be named by a number. Other types that are no text are ignored. */
function namesOf({ list, tag, any, all, none, only_media: media }: Readonly<Record<string, unknown>>): StreamNames {
  const texts = (value: unknown) =>
    (Array.isArray(value) ? value.slice(0, NAMES_READ_MAX) : [value]).flatMap((one) => textOf(one) ?? []);
  return {
    list: typeof list === 'number' ? String(list) : textOf(list),
    tag: textOf(tag),
    any: texts(any),
    all: texts(all),
    none: texts(none),
    media: media === true || /^(?:true|1|on)$/i.test(textOf(media) ?? ''),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
