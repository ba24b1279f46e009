import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { isProblem } from '../../../actors/domain/problem.js';
import type { Clock, Timer } from '../../../actors/domain/time.js';
import { type Authenticator, usable } from '../../http/authenticator.js';
import type { GatewayLogger } from '../../http/dispatcher.js';
import type { BlockedAddresses } from '../../http/limits/address-blocks.js';
import type { ClientAddress } from '../../http/limits/client-address.js';
import { problemAnswer } from '../../http/problem-answer.js';
import type { Head } from '../../http/request/head.js';
import { respond } from '../../http/responder.js';
import { type Answer, redirect } from '../../http/route.js';
import type { Hub } from '../hub.js';
import type { StreamKind } from '../stream-kinds.js';
import { NOT_HERE, type Opening, StreamAdmission, TOO_MANY } from './admission.js';
import { EventSourceStream } from './event-source.js';
import type { PageSessions } from './page-sessions.js';
import { isPages, STREAMING_PATH, sseKind, UNKNOWN_STREAM } from './requests.js';
import { SocketEndpoint } from './socket-endpoint.js';
import type { SocketData } from './web-socket.js';

const HEARTBEAT_MS = 15_000;
/** Interval of checks for an unreachable bus. */
const LOOK_MS = 1_000;
/** Time for which a request waits until live events of its stream arrive: as long as streams outlive the bus (ADR 21). */
export const LIVE_MS_MAX = 5_000;
/** Client addresses, and the addresses whose streams are refused. */
interface Addresses {
  readonly address: ClientAddress;
  readonly blocked: BlockedAddresses | undefined;
}

/** Endpoints of /api/v1/streaming: WebSockets and server-sent events on one hub. */
export class StreamingEndpoints {
  readonly #hub: Hub;
  readonly #elsewhere: URL | undefined;
  readonly #logger: GatewayLogger;
  readonly #clock: Clock;
  readonly #address: ClientAddress;
  readonly #admission: StreamAdmission;
  readonly #sockets: SocketEndpoint;
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
    this.#elsewhere = streamingRedirect === undefined ? undefined : new URL(streamingRedirect.replace(/^ws/, 'http'));
    this.#logger = logger;
    this.#clock = clock;
    const { address, blocked } = addresses;
    this.#address = address;
    this.#admission = new StreamAdmission({ hub, authenticator, sessions, blocked, logger });
    const elsewhere = (head: Head) => this.#elsewhereOf(head);
    const addressOf = (response: HttpResponse, head: Head) => this.#addressOf(response, head);
    this.#sockets = new SocketEndpoint({ hub, admission: this.#admission, logger, clock, elsewhere, addressOf });
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
    const behaviour = this.#sockets.behaviour();
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
    this.#admission
      .admit(head, kind, [], address)
      .then((opening) => {
        if (aborted) return undefined;
        if (isProblem(opening) || opening.kind === undefined) {
          answer(problemAnswer(isProblem(opening) ? opening : UNKNOWN_STREAM));
          return undefined;
        }
        // Other streams may have been admitted at the same time.
        if (this.#admission.isFull(opening.viewer)) {
          answer(problemAnswer(TOO_MANY));
          return undefined;
        }
        stream = new EventSourceStream(response);
        const begin = () => stream?.start(id, isPages(head));
        return this.#stream(stream, opening, opening.kind, begin, () => answer(problemAnswer(NOT_HERE)));
      })
      .catch((err) => this.#logger.error({ id, err }, 'failed to serve a stream'));
  }

  /** Disconnects all clients and refuses new ones. */
  drain(): void {
    this.#refuse();
    this.#hub.drain();
  }

  async close(): Promise<void> {
    this.#refuse();
    this.#beat?.cancel();
    this.#look?.cancel();
    await this.#hub.close();
  }

  #refuse(): void {
    this.#draining = true;
    this.#admission.close();
  }

  /** Returns the redirect to the separate address of streaming, if there is one and this is another. */
  #elsewhereOf(head: Head): Answer | undefined {
    // Cookies belong to this host.
    if (this.#elsewhere === undefined || head.headers.host === this.#elsewhere.host || isPages(head)) return undefined;
    const base = this.#elsewhere.href.replace(/\/$/, '');
    const query = head.query === '' ? '' : `?${head.query}`;
    return redirect(`${base}${head.path}${query}`, 301);
  }

  #plainAnswer(head: Head): Answer | undefined {
    const elsewhere = this.#elsewhereOf(head);
    if (elsewhere !== undefined) return elsewhere;
    if (head.path === `${STREAMING_PATH}/health`) {
      if (this.#draining || this.#hub.deaf) return problemAnswer(NOT_HERE);
      return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'OK' };
    }
    return undefined;
  }

  /**
   * Begins a response when live events of its stream arrive, so that its client gets whatever happens after it has seen
   * the head. Refuses it if the stream is closed before that, or they do not arrive in time.
   */
  async #stream(
    stream: EventSourceStream,
    opening: Opening,
    kind: StreamKind,
    begin: () => void,
    refuse: () => void,
  ): Promise<void> {
    const connection = this.#hub.connect(opening.viewer, opening.tokenHash, opening.scopes, stream, opening.address);
    stream.onClosed = () => {
      this.#hub.disconnect(connection);
      if (!stream.hasBegun) refuse();
    };
    const patience = this.#clock.after(LIVE_MS_MAX, () => stream.close('deaf'));
    await this.#hub.subscribe(connection, kind, opening.since);
    patience.cancel();
    begin();
  }

  /** Returns the client's address. Must be called within uWebSockets' own handler. */
  #addressOf(response: HttpResponse, head: Head): string {
    const connected = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
    return this.#address(connected, head.headers['x-forwarded-for']);
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
