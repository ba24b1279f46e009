import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a server on this machine, through which nothing goes out while it is held: what is sent waits. */
export class HeldLine {
  private readonly ends = new Set<Socket>();
  private held = false;

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {}

  static async open(to: string): Promise<HeldLine> {
    const { protocol, hostname, port } = new URL(to);
    const server = createServer();
    const line = new HeldLine(server, protocol);
    server.on('connection', (near) => line.join(near, connect(Number(port), hostname)));
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    return line;
  }

  get url(): string {
    return `${this.scheme}//127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on whoever connects hears all, and is not heard. */
  hold(): void {
    this.held = true;
    for (const near of this.ends) near.pause();
  }

  async close(): Promise<void> {
    for (const near of this.ends) near.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  private join(near: Socket, far: Socket): void {
    this.ends.add(near);
    near.on('data', (bytes) => void far.write(bytes));
    far.on('data', (bytes) => void near.write(bytes));
    if (this.held) near.pause();
    const end = () => {
      this.ends.delete(near);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('close', end).on('error', end);
  }
}
