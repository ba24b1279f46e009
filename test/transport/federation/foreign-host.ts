import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignedRequest } from '../../../transport/federation/signed-request.js';

/** A request that a foreign host has received. */
export interface Arrived extends SignedRequest {
  readonly scheme: 'cavage' | 'rfc9421' | undefined;
}

/** A foreign server on loopback that records its requests as a verifier gets them. */
export class ForeignHost {
  readonly arrived: Arrived[] = [];
  connections = 0;

  private constructor(private readonly server: Server) {}

  static async open(
    answer: (request: Arrived, response: ServerResponse) => void,
    address = '127.0.0.1',
  ): Promise<ForeignHost> {
    const server = createServer((request, response) => {
      void read(request, host.host).then((arrived) => {
        host.arrived.push(arrived);
        answer(arrived, response);
      });
    });
    const host = new ForeignHost(server);
    server.on('connection', () => {
      host.connections += 1;
    });
    await new Promise<void>((listening) => void server.listen(0, address, listening));
    return host;
  }

  get host(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `${address}:${port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Returns the requests since the last call. */
  taken(): Arrived[] {
    return this.arrived.splice(0);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}

async function read(request: IncomingMessage, host: string): Promise<Arrived> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const headers = new Map(Object.entries(request.headers as Record<string, string>));
  const scheme = headers.has('signature-input') ? 'rfc9421' : headers.has('signature') ? 'cavage' : undefined;
  const { method = '', url: target = '' } = request;
  return { method, target, host, protocol: 'http', headers, body: Buffer.concat(pieces), scheme };
}
