import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, listening, type StartedProcess, startProcess } from './process.js';
import { servicePaths } from './service-paths.js';

export interface LocalNats extends StartedProcess {
  readonly url: string;
  /** Address of its counts over HTTP. */
  readonly monitorUrl: string;
}

/** Timeout of a start, which usually takes some ms: ends one that hangs, and leaves room for an overloaded machine. */
const START_MS_MAX = 120_000;

/** Starts one nats-server on loopback, in memory. `dir` takes its log; without `port` a free one is used. */
export async function startNats(options: {
  readonly dir: string;
  readonly port?: number;
  readonly token?: string;
  /** Aborts a start. */
  readonly signal?: AbortSignal;
}): Promise<LocalNats> {
  await mkdir(options.dir, { recursive: true });
  const port = options.port ?? (await freePort('127.0.0.1'));
  const auth = options.token === undefined ? [] : ['--auth', options.token];
  const monitor = await freePort('127.0.0.1');
  const args = ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitor), ...auth];
  const started = startProcess(servicePaths().natsServer, args, join(options.dir, 'nats.log'));
  try {
    await listening(started, '127.0.0.1', port, START_MS_MAX, 'nats-server', options.signal);
  } catch (error) {
    await started.stop();
    throw error;
  }
  return {
    ...started,
    url: `nats://127.0.0.1:${port}`,
    monitorUrl: `http://127.0.0.1:${monitor}`,
  };
}
