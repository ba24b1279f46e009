import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A foreign web server on loopback, which records its requests. */
export class WebPages {
  readonly asked: string[] = [];

  private constructor(private readonly server: Server) {}

  static async open(answer: RequestListener): Promise<WebPages> {
    const server = createServer((request, response) => {
      pages.asked.push(request.url ?? '');
      answer(request, response);
    });
    const pages = new WebPages(server);
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    return pages;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}
