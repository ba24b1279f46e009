import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from './eventually.js';

/** The server that the test command runs for all tests. */
export function sharedNatsUrl(): string {
  const url = process.env.TEST_NATS_URL;
  if (url === undefined) throw new Error('TEST_NATS_URL is not set: run the tests by npm test, which starts NATS');
  return url;
}

/** A nats-server of this test's own, to be killed and started again on the same port. */
export class OwnNatsServer {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly token: string,
  ) {}

  static async start(token: string): Promise<OwnNatsServer> {
    const server = new OwnNatsServer(await freePort(), token);
    await server.start();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const args = ['-a', '127.0.0.1', '-p', String(this.port), '--auth', this.token];
    this.child = spawn(natsServerPath(), args, { stdio: 'ignore' });
    await eventually('nats-server listens', () => listens(this.port));
  }

  /** As kill -9; resolves when it has ended. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}

function natsServerPath(): string {
  const given = process.env.TEST_NATS_SERVER;
  if (given !== undefined) return given;
  const services = join(process.cwd(), '.cache', 'services');
  const folders = existsSync(services) ? readdirSync(services) : [];
  const path = folders
    .filter((folder) => folder.startsWith('nats-server'))
    .map((folder) => join(services, folder, 'nats-server'))
    .find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error('no nats-server: run npm test, which fetches it, or set TEST_NATS_SERVER');
  return path;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
