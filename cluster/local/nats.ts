import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, type LocalProcess, listening, startProcess } from './process.js';
import { servicePaths } from './service-paths.js';

export interface LocalNats extends LocalProcess {
  readonly url: string;
  /** Where it tells its counts over HTTP. */
  readonly monitorUrl: string;
}

/** It takes some ms; this ends one that hangs, also on a machine that is busy with more than it can do. */
const START_MS_MAX = 120_000;

/** One nats-server on loopback, in memory. `dir` takes its log; `port` absent: a free one. */
export async function startNats(options: {
  readonly dir: string;
  readonly port?: number;
  readonly token?: string;
  /** Ends a start that nobody waits for any longer. */
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
    pid: started.pid,
    url: `nats://127.0.0.1:${port}`,
    monitorUrl: `http://127.0.0.1:${monitor}`,
    stop: started.stop,
  };
}
