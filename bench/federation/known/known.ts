import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../../cli/bundle.js';
import { type ServerProcess, withoutSettings } from '../../../test/kit/services/server-process.js';
import type { KnownWish } from './known-node.js';

/**
 * Stores people of other servers in the data of a server, which starts anew. The code of any node stores them, in a
 * process of its own. Returns the seconds that it took.
 */
export async function storeKnown(
  server: ServerProcess,
  known: Omit<KnownWish, 'dataDir' | 'baseUrl'>,
): Promise<number> {
  await server.stop();
  const startedMs = performance.now();
  const wish: KnownWish = { ...known, dataDir: server.dataDir, baseUrl: server.url };
  const program = fileURLToPath(new URL('./known-node.js', import.meta.url));
  const child = fork(program, [JSON.stringify(wish)], { env: withoutSettings(), execArgv: [...NODE_FLAGS] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the node that stores ended with ${code}`);
  await server.restart();
  return (performance.now() - startedMs) / 1_000;
}
