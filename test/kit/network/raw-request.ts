import { Agent, request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export interface RawRequest {
  readonly method: string;
  /** Path and query; every character is sent as one byte. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged. */
  readonly body?: Buffer | undefined;
}

const REQUEST_MS_MAX = 60_000;
const IDLE_MS_MAX = 5_000;

/** Sends requests that fetch would refuse or correct: raw bytes in paths, broken escapes, broken UTF-8. */
export class RawClient {
  /** Idle connections are closed before the server closes them: a request sent at that moment gets no answer. */
  private readonly agent: Agent;

  /** @param inFlightMax further requests wait for a connection */
  constructor(
    private readonly url: string,
    inFlightMax = 8,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: inFlightMax, timeout: IDLE_MS_MAX });
  }

  send({ method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.agent, method, path, timeout: REQUEST_MS_MAX };
      const length = body === undefined ? {} : { 'content-length': String(body.length) };
      const sent = request(new URL(this.url), { ...options, headers: { ...headers, ...length } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      sent.once('timeout', () => sent.destroy(new Error(`${method} ${path.slice(0, 100)}: no answer`)));
      sent.once('error', (error) => reject(new Error(`${method} ${path.slice(0, 100)}: ${error.message}`)));
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
