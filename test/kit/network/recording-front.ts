import { type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SecureFront } from './secure-front.js';

/** A signed request to an inbox, as it went over the line. */
export interface RecordedPost {
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/**
 * TLS before a server, as `SecureFront`. It records what other servers send to inboxes, and can hold it back: then it
 * answers 202 itself, and the test says in which order the server gets it.
 */
export class RecordingFront extends SecureFront {
  /** All requests to inboxes, in the order of arrival. */
  readonly posts: RecordedPost[] = [];
  #held: RecordedPost[] | undefined;
  // A kept connection that the front ends while a request is on its way fails that request.
  readonly #http = createServer({ keepAliveTimeout: 0 }, (incoming, response) => void this.#serve(incoming, response));

  /** Takes requests to inboxes from now on, and hands none to the server. */
  hold(): void {
    this.#held = [];
  }

  /** Stops holding, and returns what was held. */
  release(): RecordedPost[] {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held;
  }

  /** The requests that are held. */
  get kept(): readonly RecordedPost[] {
    return this.#held ?? [];
  }

  /** Sends a request to the server, again or for the first time. Returns the status of its answer. */
  async send({ target, headers, body }: RecordedPost): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = this.#request('POST', target, headers, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      });
      sent.once('error', reject).end(body);
    });
  }

  protected override pass(client: Socket): void {
    this.#http.emit('connection', client);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = '', url: target = '', rawHeaders: headers } = incoming;
    const body = Buffer.concat(pieces);
    if (method === 'POST' && target.endsWith('/inbox')) {
      const post = { target, headers, body };
      this.posts.push(post);
      if (this.#held !== undefined) {
        this.#held.push(post);
        return void response.writeHead(202).end();
      }
    }
    this.#request(method, target, headers, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    })
      .once('error', () => response.destroy())
      .end(body);
  }

  #request(
    method: string,
    path: string,
    headers: readonly string[],
    answered: (answer: IncomingMessage) => void,
  ): ClientRequest {
    return request({ host: '127.0.0.1', port: this.target, method, path, headers, agent: false }, answered);
  }
}
