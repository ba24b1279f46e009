import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalNats, startNats } from '../../cluster/local/nats.js';

/** Returns the address of the server that the test command runs for all tests. */
export function sharedNatsUrl(): string {
  const url = process.env.TEST_NATS_URL;
  if (url === undefined) throw new Error('TEST_NATS_URL is not set: run the tests by npm test, which starts NATS');
  return url;
}

/** A nats-server of this test, which can be killed and restarted on the same port. */
export class OwnNatsServer {
  private readonly dir = mkdtempSync(join(tmpdir(), 'nats-'));
  private running: LocalNats | undefined;
  private port: number | undefined;

  private constructor(private readonly token: string) {}

  static async start(token: string): Promise<OwnNatsServer> {
    const server = new OwnNatsServer(token);
    await server.start();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const port = this.port === undefined ? {} : { port: this.port };
    this.running = await startNats({ dir: this.dir, token: this.token, ...port });
    this.port = Number(new URL(this.running.url).port);
  }

  /** Ends it like kill -9; resolves when it has ended. */
  async kill(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    if (running === undefined) return;
    process.kill(running.pid, 'SIGKILL');
    await running.stop();
  }

  /** Makes it hang: it accepts connections and does not answer. Or makes it continue. */
  hang(on: boolean): void {
    if (this.running !== undefined) process.kill(this.running.pid, on ? 'SIGSTOP' : 'SIGCONT');
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
