import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The two sockets of one connection: to the client, and to the server. */
interface Ends {
  readonly near: Socket;
  readonly far: Socket;
  /** True when one of them ended while the line forwarded nothing: the other learns it when the line is mended. */
  broken: boolean;
  /** Data of the client that wait while the line is held. */
  waiting: Buffer[];
  /** Pings of the client that the line has not answered yet. */
  pings: number;
  /** True when the data forwarded to the client end with a line, so that an answer may follow. */
  atLineEnd: boolean;
}

/** A ping of the NATS protocol, which is a line of its own. */
const PING = /(?:^|\r\n)PING(?=\r\n)/g;
const PONG = 'PONG\r\n';
const LINE_END = Buffer.from('\r\n');

/** A proxy to a server on this machine that forwards nothing while it is held or silenced: data wait. */
export class HeldLine {
  private readonly open = new Set<Ends>();
  private state: 'well' | 'held' | 'silent' = 'well';

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
    private readonly gatherMs: number | undefined,
  ) {}

  /**
   * Opens a line. @param at the address that the line listens on
   * @param gatherMs interval in which clients receive what the server sends, each time in one piece; undefined: at once
   */
  static async open(to: string, at = '127.0.0.1', gatherMs?: number): Promise<HeldLine> {
    const { protocol, hostname, port } = new URL(to);
    const server = createServer();
    const line = new HeldLine(server, protocol, gatherMs);
    server.on('connection', (near) => line.join(near, connect(Number(port), hostname)));
    await new Promise<void>((listening) => void server.listen(0, at, listening));
    return line;
  }

  get url(): string {
    return `${this.scheme}//${this.hostPort}`;
  }

  get hostPort(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `${address}:${port}`;
  }

  /**
   * Stops the direction from the clients to the server; clients still receive. The line answers the pings of NATS
   * clients itself, so that they keep their connection however long it is held.
   */
  hold(): void {
    this.state = 'held';
  }

  /** Stops both directions, as on a network that loses everything. */
  silence(): void {
    this.state = 'silent';
    for (const { near, far } of this.open) for (const end of [near, far]) end.pause();
  }

  /** Forwards the waiting data; a side that has closed meanwhile closes the other side. */
  mend(): void {
    this.state = 'well';
    for (const { near, far, broken, waiting } of this.open) {
      for (const bytes of waiting.splice(0)) far.write(bytes);
      for (const end of [near, far]) {
        if (broken) end.destroy();
        else end.resume();
      }
    }
  }

  async close(): Promise<void> {
    for (const { near, far } of this.open) for (const end of [near, far]) end.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  private join(near: Socket, far: Socket): void {
    const ends: Ends = { near, far, broken: false, waiting: [], pings: 0, atLineEnd: true };
    this.open.add(ends);
    near.on('data', (bytes) => this.fromClient(ends, bytes));
    let gathered: Buffer[] = [];
    const forward = () => {
      const bytes = Buffer.concat(gathered);
      gathered = [];
      near.write(bytes);
      ends.atLineEnd = bytes.subarray(-2).equals(LINE_END);
      answerPings(ends);
    };
    far.on('data', (bytes) => {
      gathered.push(bytes);
      if (this.gatherMs === undefined) forward();
      else if (gathered.length === 1) setTimeout(forward, this.gatherMs);
    });
    if (this.state === 'silent') for (const end of [near, far]) end.pause();
    const end = () => {
      ends.broken = true;
      if (this.state === 'silent' && this.server.listening) return;
      this.open.delete(ends);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('close', end).on('error', end);
  }
  private fromClient(ends: Ends, bytes: Buffer): void {
    if (this.state !== 'held') return void ends.far.write(bytes);
    ends.waiting.push(bytes);
    ends.pings += bytes.toString('latin1').match(PING)?.length ?? 0;
    answerPings(ends);
  }
}

/** Answers the client's pings, never within a message that is being forwarded. */
function answerPings(ends: Ends): void {
  if (!ends.atLineEnd) return;
  for (; ends.pings > 0; ends.pings--) ends.near.write(PONG);
}
