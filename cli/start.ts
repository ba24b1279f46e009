import { setFlagsFromString } from 'node:v8';
import type { Logger as PinoLogger } from 'pino';
import { type Node, startNode } from '../compose/node.js';
import { DrainSignals } from './drain-signals.js';
import { reportFailedStart } from './failed-start.js';
import { operate } from './operations.js';
import { answerOperation, notYet } from './operator-peer.js';
import { type Operate, serveOperators } from './operator-socket.js';
import type { Settings } from './settings.js';

/** Time after SIGTERM at which the process ends, whatever is unfinished: everything acknowledged is stored. */
const DRAIN_MS_MAX = 14_500;
/** Bound of the node's own drain, below that of the process, so that the last log lines are written. */
const NODE_DRAIN_MS_MAX = DRAIN_MS_MAX - 500;

/** V8 collects the garbage of a start, by marking tasks, when the process has been idle for eight seconds. */
const START_COLLECTED_MS = 15_000;

/** Other users of the machine can open nothing that the node creates: mails, sockets, the store, uploads. */
const PRIVATE_UMASK = 0o077;

/** Runs a node until SIGTERM or SIGINT. A second signal ends it at once, unless it belongs to the same request. */
export async function runNode(settings: Settings, logger: PinoLogger): Promise<void> {
  process.umask(PRIVATE_UMASK);
  let stop: () => void = () => undefined;
  let asked = false;
  const stopped = new Promise<void>((resolve) => {
    stop = () => {
      asked = true;
      resolve();
    };
  });
  const signals = new DrainSignals(() => performance.now());
  const overdue = () => {
    logger.error('the drain took too long; ending');
    process.exit(0);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    const action = signals.received();
    if (action === 'ignore') return;
    logger.info({ signal }, action === 'drain' ? 'draining' : 'ending at once');
    if (action === 'end') process.exit(1);
    stop();
  };
  // From here on the end is bounded, even while the node is still starting.
  void stopped.then(() => setTimeout(overdue, DRAIN_MS_MAX));
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  try {
    let run = notYet;
    const node = await startNode(settings, logger, {
      onDrainAsked: stop,
      onRefused: (why) => {
        reportFailedStart(why, logger, process.stderr);
        process.exit(1);
      },
      isStopping: () => asked,
      onOperation: (operation) => answerOperation(run, operation),
    });
    run = (name, input) => operate(node, name, input, stop);
    await serve(node, settings, logger, stopped, run);
    logger.info('drained');
  } catch (error) {
    if (!asked) throw error;
    // Acknowledged data are stored, and a requested end is not a failure that a supervisor must handle.
    logger.error({ err: error }, 'the drain was cut short');
  }
  process.exit(0);
}

/**
 * Opens the operator socket, then the public server, so that a node that looks ready can be operated. Shuts the node
 * down in order when that is requested, or when a server cannot be opened: it owns shards, for whose lease other nodes
 * would wait.
 */
async function serve(
  node: Node,
  settings: Settings,
  logger: PinoLogger,
  stopped: Promise<void>,
  run: Operate,
): Promise<void> {
  const closing: (() => Promise<void>)[] = [];
  try {
    closing.push(await serveOperators(settings.DATA_DIR, run));
    closing.push(await openMetrics(settings, node));
    await node.listen();
    markWithoutTasks();
    logger.info({ url: settings.BASE_URL, port: node.server?.port, store: settings.STORE }, 'serving');
    await stopped;
  } finally {
    await node.drain(NODE_DRAIN_MS_MAX);
    for (const close of closing) await close();
  }
}

async function openMetrics(settings: Settings, node: Node): Promise<() => Promise<void>> {
  if (settings.METRICS_LISTEN === undefined) return async () => undefined;
  const { serveMetrics } = await import('./metrics.js');
  return serveMetrics(settings.METRICS_LISTEN, node);
}

/**
 * Lets V8 mark without tasks from soon after the start on (ADR 12). In a full collection V8 posts one marking task after
 * the other, and Node runs all of them before it returns to the event loop: with 60,000 active accounts that held the
 * loop for up to 190 ms. Without these tasks V8 marks in other threads, and in small steps while objects are created.
 */
function markWithoutTasks(): void {
  setTimeout(() => setFlagsFromString('--no-incremental-marking-task'), START_COLLECTED_MS).unref();
}
