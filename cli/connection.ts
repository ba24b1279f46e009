import { Unavailable } from '../actors/domain/problem.js';
import { isFault } from './failed-start.js';
import { openLogger } from './logger.js';
import { operate, Refused } from './operations.js';
import { peerClient, withPeers } from './operator-peer.js';
import { nobodyThere, type Operate, operatorClient } from './operator-socket.js';
import type { Settings } from './settings.js';
import { checkFiles } from './start-checks.js';

/**
 * Runs `action` with a connection to a node: the one that runs on the data folder or, when none does and the store is
 * embedded, one opened for this command alone. With `address` it is the node of the cluster at that address.
 */
export async function withNode(
  settings: Settings,
  address: unknown,
  action: (run: Operate) => Promise<void>,
): Promise<void> {
  if (typeof address === 'string') {
    await withPeers(settings, (peers) => action(peerClient(peers, address)));
    return;
  }
  const client = operatorClient(settings.DATA_DIR);
  try {
    await client('status', {});
  } catch (error) {
    if (!nobodyThere(error)) throw error;
    if (settings.STORE !== 'lmdb') {
      throw new Refused(`no node runs on ${settings.DATA_DIR}; start one, or name another with --data-dir`);
    }
    await withOwnNode(settings, action);
    return;
  }
  await action(client);
}

async function withOwnNode(settings: Settings, action: (run: Operate) => Promise<void>): Promise<void> {
  const { startNode } = await import('../compose/node.js');
  await checkFiles(settings);
  const node = await startNode(settings, await openLogger('warn', settings.NODE_NAME)).catch((error: Error) => {
    throw isFault(error) ? error : new Refused(error.message);
  });
  try {
    await action((name, input) => operate(node, name, input, () => undefined));
  } catch (error) {
    if (error instanceof Unavailable) throw new Refused(error.message);
    throw error;
  } finally {
    await node.drain();
  }
}
