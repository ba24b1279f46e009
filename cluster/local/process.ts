import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** A service on this machine that we started, with its output in a file. */
export interface LocalProcess {
  readonly pid: number;
  /** Sends SIGTERM, and SIGKILL if the process has not ended within STOP_MS_MAX. */
  stop(): Promise<void>;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
}

/** A started service with its handle, which tells when it has ended. */
export type StartedProcess = LocalProcess & { readonly child: ChildProcess };

const STOP_MS_MAX = 15_000;
const PROBE_MS = 100;

/** A command of util-linux: the kernel kills the program that it becomes when its parent ends, however that ends. */
const UNTIL_PARENT_ENDS = ['setpriv', '--pdeathsig', 'KILL'] as const;
/** True if this machine has setpriv; checked once. */
let ties: boolean | undefined;

/**
 * Returns the command to spawn for a program that must end with this process, even after SIGKILL. The pid stays the
 * same. Without setpriv, or without the program, it is the program itself, which then outlives a killed parent.
 */
export function tied(command: string, args: readonly string[]): [command: string, args: string[]] {
  const [setpriv, ...flags] = UNTIL_PARENT_ENDS;
  if (!isThere(command)) return [command, [...args]];
  ties ??= spawnSync(setpriv, [...flags, 'true'], { stdio: 'ignore' }).status === 0;
  if (!ties) return [command, [...args]];
  return [setpriv, [...flags, command, ...args]];
}

function isThere(command: string): boolean {
  const folders = command.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, command)));
}

/** Starts a process that ends with this one at the latest. */
export function startProcess(
  command: string,
  args: readonly string[],
  logFile: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): StartedProcess {
  const log = openSync(logFile, 'a');
  const child = spawn(...tied(command, args), { stdio: ['ignore', log, log], env });
  closeSync(log);
  // A missing program has no pid, which the next line reports; without this handler the error event would end this
  // process.
  child.on('error', () => undefined);
  if (child.pid === undefined) throw new Error(`${command} failed to start`);
  return { pid: child.pid, child, stop: () => stopChild(child), kill: () => killChild(child) };
}

/** Returns true until the process has ended. */
export const isRunning = (started: StartedProcess | undefined): boolean =>
  started !== undefined && started.child.exitCode === null && started.child.signalCode === null;

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await ended;
  clearTimeout(timer);
}

async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/**
 * Resolves when the process accepts connections.
 * @throws when the process has ended, `timeoutMs` have passed, or the signal is aborted
 */
export async function listening(
  started: { readonly child: ChildProcess },
  host: string,
  port: number,
  timeoutMs: number,
  what: string,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await accepts(host, port))) {
    signal?.throwIfAborted();
    const { exitCode, signalCode } = started.child;
    if (exitCode !== null || signalCode !== null) throw new Error(`${what} ended (${exitCode ?? signalCode})`);
    if (Date.now() > deadline) throw new Error(`${what} does not listen on ${host}:${port} after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Range of ports below those of outgoing connections on Linux (32768 and up): one of those might take a port before the
 * service listens on it, or between a kill and the next start; a retrying client may even connect to itself there.
 */
const PORTS = { first: 10_000, count: 10_000 };
/** Clients that implement the Fetch standard ("bad port") refuse to connect to this port. */
const BAD_PORT = 10_080;
/** Distance of the first ports that processes with neighbouring pids try at the same time. */
const PORTS_OF_A_PROCESS = 32;
/** Advances with each call, so that no port is returned twice although nobody listens on the earlier ones yet. */
const asked = { ports: process.pid * PORTS_OF_A_PROCESS };

/** Returns a port that was free a moment ago. */
export async function freePort(host: string): Promise<number> {
  for (let tries = 0; tries < PORTS.count; tries++) {
    const port = PORTS.first + (asked.ports++ % PORTS.count);
    if (port !== BAD_PORT && (await isFree(host, port))) return port;
  }
  throw new Error(`no free port on ${host}`);
}

function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
