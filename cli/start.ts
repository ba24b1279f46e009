import type { Logger as PinoLogger } from 'pino';
import { type Node, startNode } from '../compose/node.js';
import { operate } from './operations.js';
import { serveOperators } from './operator-socket.js';
import type { Settings } from './settings.js';

/** What SIGTERM promises; past it the process ends whatever is unfinished: all that was acknowledged is stored. */
const DRAIN_MS_MAX = 14_500;

/** Runs a node until SIGTERM or SIGINT; the second one ends it at once. */
export async function runNode(settings: Settings, logger: PinoLogger): Promise<void> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    logger.info({ signal }, signals === 1 ? 'draining' : 'ending at once');
    if (signals > 1) process.exit(1);
    stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const node = await startNode(settings, logger, { http: true, onDrainAsked: stop });
  const closeSocket = await serveOperators(settings.DATA_DIR, (name, input) => operate(node, name, input, stop));
  const closeMetrics = await openMetrics(settings, node);
  logger.info({ url: settings.BASE_URL, port: node.server?.port, store: settings.STORE }, 'serving');
  await stopped;
  const overdue = setTimeout(() => {
    logger.error('the drain took too long; ending');
    process.exit(0);
  }, DRAIN_MS_MAX);
  overdue.unref();
  await node.drain();
  await closeSocket();
  await closeMetrics();
  logger.info('drained');
  process.exit(0);
}

async function openMetrics(settings: Settings, node: Node): Promise<() => Promise<void>> {
  if (settings.METRICS_LISTEN === undefined) return async () => undefined;
  const { serveMetrics } = await import('./metrics.js');
  return serveMetrics(settings.METRICS_LISTEN, node);
}
