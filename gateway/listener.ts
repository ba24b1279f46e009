import uws, { type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import type { Clock } from '../actors/domain/time.js';

/** LIBUS_LISTEN_EXCLUSIVE_PORT, and `listen` with host and options. The library has both, its types do not. */
const LISTEN_EXCLUSIVE_PORT = 1;
type Listen = (host: string, port: number, options: number, then: (socket: us_listen_socket | false) => void) => void;

/**
 * Duration of a turn of the event loop in which it had nothing to do but to accept connections. The kernel resets those
 * that arrive after that and before the end of listening.
 */
const IDLE_TURN_MS = 0.2;
/** Maximum wait for such a turn: on an overloaded node there is none. */
const IDLE_WAIT_MS_MAX = 1_000;

/** The port on which a server accepts connections. */
export class Listener {
  readonly port: number;
  #socket: us_listen_socket | undefined;

  private constructor(
    socket: us_listen_socket,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.#socket = socket;
    this.port = uws.us_socket_local_port(socket);
  }

  /** Listens. @param port 0: any free port; @throws Error when the port cannot be listened on */
  static open(app: TemplatedApp, bind: string, port: number, clock: Pick<Clock, 'monotonicMs'>): Promise<Listener> {
    return new Promise((resolve, reject) => {
      // Exclusive: otherwise two servers on one port would silently share its connections.
      (app as unknown as { listen: Listen }).listen(bind, port, LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket === false) reject(new Error(`cannot listen on ${bind}:${port}`));
        else resolve(new Listener(socket, clock));
      });
    });
  }

  /**
   * Stops listening when every connection is accepted that clients have opened: the kernel resets those that wait, and
   * a client cannot tell if its request was served. Later ones are refused.
   * @param withinMs bounds the wait
   */
  async leave(withinMs: number): Promise<void> {
    const waitMsMax = Math.min(withinMs, IDLE_WAIT_MS_MAX);
    const startedMs = this.clock.monotonicMs();
    let beganMs = Number.NEGATIVE_INFINITY;
    for (;;) {
      // Follows directly after the phase of the event loop in which connections are accepted.
      await new Promise((resolve) => setImmediate(resolve));
      const nowMs = this.clock.monotonicMs();
      if (nowMs - beganMs <= IDLE_TURN_MS || nowMs - startedMs >= waitMsMax) break;
      beganMs = nowMs;
    }
    this.close();
  }

  /** Stops listening at once. */
  close(): void {
    if (this.#socket !== undefined) uws.us_listen_socket_close(this.#socket);
    this.#socket = undefined;
  }
}
