import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';
import type { OrderWatch } from '../judging/verdicts.js';
import { type Answer, NoAnswer } from './client.js';
import { objectIn, type StatusJson, statusIn } from './json.js';

/** Interval of attempts to resume a stream: a node that was killed is away for seconds. */
const RESUME_MS = 100;

/** Opens a WebSocket for a token, from a position on if there is one. @throws NoAnswer */
export type Connect = (token: string, since: string | undefined) => Promise<WebSocket | Answer>;

/** Receiver of what a held stream gets. */
interface Listener {
  /** Receives each new status. */
  update(held: HeldStream, status: StatusJson): void;
  /** Receives the reason for which a stream or a message is bad. */
  failed(label: string): void;
}

/** A user's stream that stays open during the run. It resumes after its last position if the run cuts streams. */
export class HeldStream {
  /** The time at which the stream broke off for good. */
  brokenMs: number | undefined;
  /** Number of times that the stream was resumed. */
  resumed = 0;
  #socket: WebSocket | undefined;
  /** Position of the last event that has one. */
  #position: string | undefined;
  #closing = false;

  constructor(
    readonly user: number,
    readonly place: string,
    readonly watch: OrderWatch,
    private readonly token: string,
    private readonly connect: Connect,
    /** True if a stream that ends is resumed. */
    private readonly resumes: boolean,
    private readonly listener: Listener,
  ) {}

  /** Opens the stream. @throws NoAnswer */
  async open(): Promise<void> {
    const socket = await this.connect(this.token, this.#position);
    if (!(socket instanceof WebSocket)) throw new NoAnswer(String(socket.status));
    this.#socket = socket;
    if (this.#closing) socket.close();
    socket.addEventListener('message', ({ data }) => {
      // A client that has left reads nothing more; what it has not read comes again.
      if (this.#socket === socket) this.#take(data);
    });
    socket.addEventListener('close', () => {
      if (this.#socket !== socket || this.#closing) return;
      if (this.resumes && this.#position !== undefined) void this.#resume();
      else this.#break('broke off');
    });
  }

  /** Ends the connection and resumes the stream. Does nothing before the first event, which has the first position. */
  cut(): void {
    const socket = this.#socket;
    if (this.#position === undefined || this.#closing || socket?.readyState !== WebSocket.OPEN) return;
    this.#socket = undefined;
    socket.close();
    void this.#resume();
  }

  close(): void {
    this.#closing = true;
    this.#socket?.close();
  }

  async #resume(): Promise<void> {
    while (!this.#closing) {
      try {
        await this.open();
        this.resumed += 1;
        return;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        await sleep(RESUME_MS, undefined, { ref: false });
      }
    }
  }

  #break(label: string): void {
    this.brokenMs ??= performance.now();
    this.listener.failed(label);
  }

  #take(data: unknown): void {
    try {
      const { event, payload, event_id: position } = objectIn(String(data));
      if (typeof position === 'string') this.#position = position;
      if (event === 'reset') this.#break('reset');
      if (event === 'update') this.listener.update(this, statusIn(String(payload)));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.listener.failed(error.message);
    }
  }
}
