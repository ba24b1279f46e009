import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** Maximum size of a request's body, which is buffered until a node has accepted it. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/**
 * A load balancer before the nodes of a cluster: each request goes to the next node, whatever its sender or connection;
 * if that node refuses connections, to the one after it.
 */
export class Balancer {
  /** Number of requests that each node took, in the order of the nodes. */
  readonly taken: number[];
  private readonly agent = new Agent({ keepAlive: true });
  private readonly tunnels = new Set<Socket>();
  private turn = 0;

  private constructor(
    private readonly server: Server,
    private readonly nodes: readonly string[],
  ) {
    this.taken = nodes.map(() => 0);
  }

  /** Opens a balancer. @param nodes addresses of the nodes; may be filled after it listens */
  static async open(nodes: readonly string[]): Promise<Balancer> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const balancer = new Balancer(server, nodes);
    server.on(
      'request',
      (incoming: IncomingMessage, outgoing: ServerResponse) => void balancer.pass(incoming, outgoing),
    );
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) =>
      balancer.tunnel(incoming, socket, head),
    );
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.tunnels) socket.destroy();
    this.server.closeAllConnections();
    this.agent.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  /** Returns the node whose turn it is. @param index a number of any size */
  private node(index = this.turn++): URL {
    const node = index % this.nodes.length;
    this.taken[node] = (this.taken[node] ?? 0) + 1;
    return new URL(this.nodes[node] as string);
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return void outgoing.writeHead(413).end();
      body.push(chunk);
    }
    this.send(incoming, Buffer.concat(body), outgoing, this.turn++, this.nodes.length);
  }

  private send(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, turn: number, tries: number): void {
    const { hostname, port } = this.node(turn);
    const { method, url: path, headers } = incoming;
    const call = request({ hostname, port, method, path, headers, agent: this.agent });
    call.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      outgoing.on('close', () => call.destroy());
      answer.on('error', () => outgoing.destroy());
    });
    call.on('error', () => {
      if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
      else if (tries > 1) this.send(incoming, body, outgoing, turn + 1, tries - 1);
      else outgoing.writeHead(502).end();
    });
    call.end(body);
  }

  private tunnel(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    const { hostname, port } = this.node();
    const there = connect(Number(port), hostname, () => {
      const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
      for (let index = 0; index < incoming.rawHeaders.length; index += 2)
        lines.push(`${incoming.rawHeaders[index]}: ${incoming.rawHeaders[index + 1]}`);
      there.write(`${lines.join('\r\n')}\r\n\r\n`);
      there.write(head);
      there.pipe(socket).pipe(there);
    });
    this.tunnels.add(socket);
    socket.on('close', () => {
      this.tunnels.delete(socket);
      there.destroy();
    });
    for (const end of [socket, there]) end.on('error', () => [socket, there].map((each) => each.destroy()));
  }
}
