import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Accepts connections at every address of loopback, and never answers. */
export class SilentServer {
  connections = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<SilentServer> {
    const server = createServer((socket) => {
      silent.connections += 1;
      silent.#sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => silent.#sockets.delete(socket))
        .resume();
    });
    const silent = new SilentServer(server);
    await new Promise<void>((listening) => void server.listen(0, '0.0.0.0', listening));
    return silent;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }
}
