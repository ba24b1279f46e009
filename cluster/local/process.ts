import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** A service of this machine that we started, with its output in a file. */
export interface LocalProcess {
  readonly pid: number;
  /** Asks it to end, and ends it for good when it has not within STOP_MS_MAX. */
  stop(): Promise<void>;
}

const STOP_MS_MAX = 15_000;
const PROBE_MS = 100;

/** Of util-linux: the program that it becomes is killed by the kernel when its parent ends, however that ends. */
const UNTIL_PARENT_ENDS = ['setpriv', '--pdeathsig', 'KILL'] as const;
/** Whether this machine has it; looked at once. */
let ties: boolean | undefined;

/**
 * What to spawn for a program that is to end with this process, also by SIGKILL. It keeps the pid that it gets. Where
 * there is no such setpriv, or no such program, it is the program itself, which then outlives a parent that was killed.
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

/** It ends with this process at the latest. */
export function startProcess(
  command: string,
  args: readonly string[],
  logFile: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): LocalProcess & { readonly child: ChildProcess } {
  const log = openSync(logFile, 'a');
  const child = spawn(...tied(command, args), { stdio: ['ignore', log, log], env });
  closeSync(log);
  // A program that is not there has no pid, which the next line tells the caller; its event would end this process.
  child.on('error', () => undefined);
  if (child.pid === undefined) throw new Error(`${command} could not be started`);
  return { pid: child.pid, child, stop: () => stopChild(child) };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await ended;
  clearTimeout(timer);
}

/**
 * Resolves when the process accepts connections there.
 * @throws when it has ended, `timeoutMs` have passed, or the signal says that nobody waits any longer
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
 * Below those that Linux gives to outgoing connections (32768 and up): one of them might take a port before it is
 * listened on, or between a kill and the start that follows; a client that keeps trying may even reach itself there.
 */
const PORTS = { first: 10_000, count: 10_000 };
/** Clients that follow the Fetch standard ("bad port") refuse to connect to it. */
const BAD_PORT = 10_080;
/** Processes that look for ports at the same time begin so far from one another, those with neighbouring pids. */
const PORTS_OF_A_PROCESS = 32;
/** Asked for one after the other none comes twice, though nobody listens on the earlier ones yet. */
const asked = { ports: process.pid * PORTS_OF_A_PROCESS };

/** A port that was free a moment ago, and that only who listens may take. */
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
