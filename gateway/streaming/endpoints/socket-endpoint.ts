import uws, {
  type HttpRequest,
  type HttpResponse,
  type us_socket_context_t,
  type WebSocket,
  type WebSocketBehavior,
} from 'uWebSockets.js';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import type { Clock } from '../../../actors/domain/time.js';
import type { GatewayLogger } from '../../http/dispatcher.js';
import { HTTP_STATUS, problemAnswer } from '../../http/problem-answer.js';
import { Head } from '../../http/request/head.js';
import { respond } from '../../http/responder.js';
import type { Answer } from '../../http/route.js';
import { grants } from '../../http/scopes.js';
import type { Hub } from '../hub.js';
import { type Since, sinceOf } from '../position.js';
import { ofNamed, type StreamKind, streamAt, streamNamed } from '../stream-kinds.js';
import { type Opening, OUTSIDE_SCOPES, type StreamAdmission, TOO_MANY } from './admission.js';
import { namedIn, parseMessage, STREAMING_PATH, UNKNOWN_STREAM } from './requests.js';
import { MessageCount, SOCKET_BUFFERED_BYTES_MAX, type SocketData, WebSocketStream } from './web-socket.js';

/** Largest message; a subscribe message has some 60 bytes. */
const MESSAGE_BYTES_MAX = 4_096;
/** Interval of WebSocket pings, well below the timeout of common proxies (60 s). */
const IDLE_SECONDS = 32;
/** Streams of one connection: every kind, and every list that an account can have. */
const STREAMS_PER_CONNECTION_MAX = 60;

const TOO_MANY_MESSAGES = problem('rate_limited', 'Too many messages');

export interface SocketContext {
  readonly hub: Hub;
  readonly admission: StreamAdmission;
  readonly logger: GatewayLogger;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Returns the redirect of a request that belongs to the separate address of streaming. */
  readonly elsewhere: (head: Head) => Answer | undefined;
  readonly addressOf: (response: HttpResponse, head: Head) => string;
}

/** Opens WebSockets, whose clients subscribe and unsubscribe streams by messages. */
export class SocketEndpoint {
  constructor(private readonly context: SocketContext) {}

  behaviour(): WebSocketBehavior<SocketData> {
    return {
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
  }

  #upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const head = new Head(request);
    const key = head.headers['sec-websocket-key'] ?? '';
    const named = (head.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    const protocols = named.filter((one) => one !== '');
    const extensions = head.headers['sec-websocket-extensions'] ?? '';
    const address = this.context.addressOf(response, head);
    let aborted = false;
    response.onAborted(() => {
      aborted = true;
    });
    const answer = (given: Answer) => {
      if (!aborted) respond(response, given, { id: key, bodiless: false, closing: true });
    };
    const elsewhere = this.context.elsewhere(head);
    if (elsewhere !== undefined) {
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
        if (this.context.admission.isFull(opening.viewer)) {
          answer(problemAnswer(TOO_MANY));
          return;
        }
        const { kind, ...rest } = opening;
        const data: SocketData = { ...rest, first: kind, connection: undefined, messages: new MessageCount() };
        response.cork(() => response.upgrade(data, key, protocols[0] ?? '', extensions, context));
      })
      .catch((err) => this.context.logger.error({ err }, 'failed to open a stream'));
  }

  async #admitSocket(head: Head, protocols: readonly string[], address: string): Promise<Opening | Problem> {
    const named = namedIn(head);
    if (isProblem(named)) return named;
    // Some clients open the SSE path as a WebSocket.
    const kind = named === undefined ? streamAt(head.path.slice(STREAMING_PATH.length)) : streamNamed(named);
    if (named !== undefined && kind === undefined) return UNKNOWN_STREAM;
    return this.context.admission.admit(head, kind, protocols, address);
  }

  #opened(socket: WebSocket<SocketData>): void {
    const data = socket.getUserData();
    const stream = new WebSocketStream(socket);
    data.connection = this.context.hub.connect(data.viewer, data.tokenHash, data.scopes, stream, data.address);
    if (data.first !== undefined) this.#subscribe(data, data.first, data.since);
  }

  #closed(socket: WebSocket<SocketData>): void {
    const { connection } = socket.getUserData();
    if (connection === undefined) return;
    streamOf(socket)?.gone();
    this.context.hub.disconnect(connection);
  }

  /** Handles a message. uWebSockets calls it, so an exception would end the process. */
  #received(socket: WebSocket<SocketData>, bytes: ArrayBuffer): void {
    try {
      this.#message(socket, bytes);
    } catch (err) {
      this.context.logger.error({ err }, 'failed to read a message of a stream');
      socket.close();
    }
  }

  #message(socket: WebSocket<SocketData>, bytes: ArrayBuffer): void {
    const data = socket.getUserData();
    if (data.connection === undefined) return;
    const stream = data.connection.socket as WebSocketStream;
    if (!data.messages.admits(this.context.clock.monotonicMs())) {
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
    else if (message.type === 'unsubscribe') this.context.hub.unsubscribe(data.connection, kind);
    else if (!grants(data.scopes, kind.scope)) stream.refuse(OUTSIDE_SCOPES.detail, 403);
    else if (data.connection.subscriptions.size >= STREAMS_PER_CONNECTION_MAX) stream.refuse('Too many streams', 429);
    else {
      this.#subscribe(data, kind, since);
      if (kind.list !== undefined) this.#checkList(data, kind, stream);
    }
  }

  #subscribe(data: SocketData, kind: StreamKind, since: Since | undefined): void {
    if (data.connection === undefined) return;
    this.context.hub
      .subscribe(data.connection, kind, since)
      .catch((err) => this.context.logger.error({ err, stream: kind.name }, 'failed to subscribe a stream'));
  }

  /**
   * Unsubscribes a list that does not exist. Until the check is complete no event is sent, because the lens contains
   * only the viewer's own lists.
   */
  #checkList({ connection, viewer }: SocketData, kind: StreamKind, stream: WebSocketStream): void {
    this.context.hub
      .chosen(viewer, kind, { list: kind.list })
      .then((chosen) => {
        if (connection === undefined || !isProblem(chosen)) return;
        this.context.hub.unsubscribe(connection, kind);
        stream.refuse(chosen.detail, HTTP_STATUS[chosen.problem]);
      })
      // Without an answer the stream stays open; it sends nothing if there is no such list.
      .catch((err) => this.context.logger.warn({ err, stream: kind.name }, 'failed to look up the list of a stream'));
  }
}

const streamOf = (socket: WebSocket<SocketData>): WebSocketStream | undefined =>
  socket.getUserData().connection?.socket as WebSocketStream | undefined;
