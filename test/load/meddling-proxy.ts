import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A request on its way to the server. */
export interface Asked {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** An answer without asking the server. `hang`: none; `close`: the connection is closed. */
export type Instead =
  | 'hang'
  | 'close'
  | { readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> };

/** Changes that the proxy makes. */
export interface Meddling {
  readonly instead?: (asked: Asked) => Instead | undefined;
  /** Changes a good JSON answer. */
  readonly change?: (asked: Asked, json: unknown) => unknown;
  /** True when a connection serves one request. */
  readonly closing?: boolean;
}

/** A proxy before any server, which forwards everything except for the configured changes. */
export class MeddlingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  /** Number of received requests, including streams. */
  requests = 0;

  private constructor(
    private readonly upstream: URL,
    private meddling: Meddling,
  ) {
    this.#server = createServer((asked, answer) => void this.#serve(asked, answer));
    this.#server.on('connection', (socket: Socket) => this.#keep(socket));
    this.#server.on('upgrade', (asked: IncomingMessage, socket: Socket) => this.#pass(asked, socket));
  }

  static async start(upstream: string, meddling: Meddling = {}): Promise<MeddlingProxy> {
    const proxy = new MeddlingProxy(new URL(upstream), meddling);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  async #serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await textOf(incoming);
    const asked = askedOf(incoming, body);
    this.requests += 1;
    const instead = this.meddling.instead?.(asked);
    const closing = this.meddling.closing === true ? { connection: 'close' } : {};
    if (instead === 'hang') return;
    if (instead === 'close') return void incoming.socket.destroy();
    if (instead !== undefined) {
      answer.writeHead(instead.status, { ...instead.headers, ...closing }).end(instead.text);
      return;
    }
    const { hostname, port } = this.upstream;
    const { connection: _, ...headers } = incoming.headers;
    // A new connection each time: the server may close a reused one just when the next request is sent.
    const options = { hostname, port, method: asked.method, path: incoming.url, headers, agent: false };
    const passed = request(options, async (upstream) => {
      const text = await textOf(upstream);
      const { change } = this.meddling;
      const changed = change !== undefined && upstream.statusCode === 200 && /^[[{]/.test(text);
      const { 'content-length': __, 'transfer-encoding': ___, connection: ____, ...kept } = upstream.headers;
      answer.writeHead(upstream.statusCode ?? 502, { ...kept, ...closing });
      answer.end(changed ? JSON.stringify(change(asked, JSON.parse(text))) : text);
    });
    passed.on('error', () => incoming.socket.destroy());
    passed.end(body);
  }

  /** Forwards a WebSocket unchanged in both directions. */
  #pass(incoming: IncomingMessage, socket: Socket): void {
    this.requests += 1;
    const instead = this.meddling.instead?.(askedOf(incoming, ''));
    if (instead === 'hang') return;
    if (instead === 'close') return void socket.destroy();
    if (instead !== undefined) {
      const lines = Object.entries({ ...instead.headers, connection: 'close' }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      socket.end(`HTTP/1.1 ${instead.status} No\r\n${lines.join('\r\n')}\r\n\r\n${instead.text}`);
      return;
    }
    const upstream = connect(Number(this.upstream.port), this.upstream.hostname, () => {
      const lines = incoming.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
      upstream.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      upstream.pipe(socket).pipe(upstream);
    });
    this.#keep(upstream);
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  }
}

function askedOf({ method = 'GET', url = '/' }: IncomingMessage, body: string): Asked {
  const { pathname, searchParams } = new URL(url, 'http://here');
  return { method, path: pathname, query: searchParams, body };
}

async function textOf(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}
