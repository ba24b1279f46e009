import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { Certificate } from './certificate.js';

/**
 * TLS before a server that speaks plain HTTP, as operators run it behind a proxy. A client whose connection finds the
 * server down loses the connection.
 */
export class SecureFront {
  /** Port of the server on 127.0.0.1; clients are refused until the test sets it. */
  target: number | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor({ key, cert }: Certificate) {
    this.#server = createServer({ key, cert, ALPNProtocols: ['http/1.1'] }, (client) => this.#joined(client));
    this.#server.on('tlsClientError', () => undefined);
  }

  static async open<Front extends SecureFront>(front: Front): Promise<Front> {
    await new Promise<void>((listening) => void front.#server.listen(0, '127.0.0.1', listening));
    return front;
  }

  /**
   * Opens TLS before a server that `start` starts with the address that clients use. Closes it if the start fails.
   */
  static async before<Server extends { readonly url: string }, Front extends SecureFront>(
    made: Front,
    start: (url: string) => Promise<Server>,
  ): Promise<[Front, Server]> {
    const front = await SecureFront.open(made);
    const server = await start(front.url).catch(async (error) => {
      await front.close();
      throw error;
    });
    front.target = Number(new URL(server.url).port);
    return [front, server];
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  /** Connects a client with the server. */
  protected pass(client: Socket, target: number): void {
    const server = connect(target, '127.0.0.1');
    this.#keep(server);
    for (const [one, other] of [[client, server] as const, [server, client] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  }

  #joined(client: Socket): void {
    if (this.target === undefined) return void client.destroy();
    this.#keep(client);
    this.pass(client, this.target);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
