import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasFreshBundle, NODE_FLAGS } from '../../../cli/bundle.js';
import { freePort, tied } from '../../../cluster/local/process.js';
import { until } from '../time/until.js';

/** The program of the built tree to which this file belongs: server and command line. */
export const program = fileURLToPath(new URL('../../../main.js', import.meta.url));

const READY_MS_MAX = 120_000;
/** Maximum duration of a stop: the promise of SIGTERM, and a margin for a busy machine. */
const STOP_MS_MAX = 20_000;

/**
 * A server in a process and a folder of its own, as an operator starts it; embedded unless the settings say otherwise.
 */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private written = '';

  private constructor(
    readonly dataDir: string,
    readonly url: string,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly node: string,
    /** The program of the next start. */
    public program: string,
  ) {}

  /**
   * Starts a server.
   * @param settings by name without the prefix, over PASSWORD_GRANT=on, RATE_LIMITS=off, LOG_LEVEL=info and its own
   *   BASE_URL; @param environment other variables
   * @param node the Node program that runs it
   * @param main the program, if it is another build
   */
  static async start(
    settings: Readonly<Record<string, string>> = {},
    environment: Readonly<Record<string, string>> = {},
    node = process.execPath,
    main = program,
  ): Promise<ServerProcess> {
    const dataDir = await mkdtemp(join(tmpdir(), 'murmuration-process-'));
    const port = String(await freePort('127.0.0.1'));
    const url = `http://127.0.0.1:${port}`;
    const usual = { PASSWORD_GRANT: 'on', RATE_LIMITS: 'off', LOG_LEVEL: 'info' };
    const own = { PORT: port, DATA_DIR: dataDir };
    const all = { ...usual, BASE_URL: url, ...settings, ...own };
    const server = new ServerProcess(dataDir, url, all, environment, node, main);
    await server.restart();
    return server;
  }

  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) throw new Error('the server does not run');
    return pid;
  }

  /** The output of all its processes so far, stderr and stdout. */
  get log(): string {
    return this.written;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts a process on the same port and data; the previous one must have ended. */
  async restart(): Promise<void> {
    if (this.running) throw new Error('the server still runs');
    // Users run the bundle. Without it the same command runs the modules, which may behave differently.
    if (this.program === program && !hasFreshBundle(dirname(program)))
      throw new Error('the bundle is out of date: node scripts/bundle.mjs');
    const env = { ...withoutSettings(), ...this.environment, ...prefixed(this.settings) };
    const command = [...(await optionsOf(this.program)), this.program];
    const child = spawn(...tied(this.node, command), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.written += text;
      });
    }
    await until(`${this.url} ready`, () => this.ready(), READY_MS_MAX);
  }

  /** Sends SIGTERM; returns the exit code. @throws when it has not ended in time (it is then killed) */
  async stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Sends SIGKILL. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends it in any case, and removes the data. */
  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.child;
    if (child === undefined || !this.running) return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill(signal);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, STOP_MS_MAX);
    const [code] = (await ended) as [number | null];
    clearTimeout(timer);
    if (late) throw new Error(`not ended ${STOP_MS_MAX} ms after ${signal}:\n${this.written.slice(-2_000)}`);
    return code;
  }

  private async ready(): Promise<true | undefined> {
    if (!this.running) throw new Error(`the server ended with ${this.child?.exitCode}:\n${this.written.slice(-4_000)}`);
    return fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(10_000) }).then(
      (response) => response.status === 200 || undefined,
      () => undefined,
    );
  }
}

/** Returns this process's environment without settings that would affect a server. */
export function withoutSettings(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MURMURATION_')));
}

/** Returns the names with the prefix of environment variables. */
export function prefixed(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`MURMURATION_${name}`, value]));
}

/** Returns the options of Node with which users of that build run it. Before 0.1.2 they were flags of V8 alone. */
async function optionsOf(main: string): Promise<readonly string[]> {
  const bundle = join(dirname(main), 'cli', 'bundle.js');
  if (main === program || !existsSync(bundle)) return NODE_FLAGS;
  const { NODE_FLAGS: own, V8_FLAGS: flags }: BundleOptions = await import(pathToFileURL(bundle).href);
  return own ?? flags;
}

interface BundleOptions {
  readonly NODE_FLAGS?: readonly string[];
  readonly V8_FLAGS: readonly string[];
}
