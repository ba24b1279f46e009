import { Unavailable } from '../../actors/domain/problem.js';
import type { DeliveryFigures } from '../../actors/federation/delivery/figures.js';
import type { MailFigures } from '../../actors/mail/mail-figures.js';
import type { Runtime } from '../../actors/runtime/runtime.js';
import type { NodeState } from '../../gateway/admin-measures/operator.js';
import type { NodeNodeLoad, NodeNodeStatus } from '../../proto/gen/types.js';
import type { HostNeeds } from './hosts.js';
import type { LoadSamples } from './load-samples.js';

/** Parts of a running node that its operators see (node.ts). */
export interface Operated extends HostNeeds {
  readonly runtime: Pick<Runtime, 'metrics' | 'load'>;
  readonly delivery: DeliveryFigures;
  readonly mails: { readonly figures: MailFigures; waiting(): ReturnType<MailFigures['waiting']> };
  waitingInbox(): number;
  status(): NodeNodeStatus;
  readonly samples: Pick<LoadSamples, 'all'>;
  /** Returns the shards that this node owns, ascending. */
  shards(): number[];
}

/** Activations of which operators see the mailbox, and accounts of which they see the number of commands. */
const BUSIEST_MAX = 10;

/** Returns the state of a node as `murmuration status` prints it. */
export function nodeState(node: Operated): NodeState {
  const { unsettled } = node.runtime.metrics;
  return { ...node.status(), unsettled, mail: mailState(node), federation: federationState(node) };
}

/**
 * Returns what a node does, as its peers and the page of operators receive it. @throws Unavailable until the node has
 * started
 */
export function nodeLoad(node: Operated | undefined): NodeNodeLoad {
  if (node === undefined) throw new Unavailable('the node is starting');
  const { kinds, busiest, hot } = node.runtime.load(BUSIEST_MAX);
  const { mail, federation } = nodeState(node);
  return {
    status: node.status(),
    kinds: Object.entries(kinds).map(([kind, count]) => ({ kind, count })),
    busiest: busiest.map(({ kind, id, waiting: count }) => ({ kind, id, count })),
    unsettled: node.runtime.metrics.unsettled,
    samples: [...node.samples.all()],
    shards: node.shards(),
    hot: hot.map(({ id, count }) => ({ kind: 'account', id, count })),
    queues: [
      {
        ...{ name: 'mail', waiting: mail.waiting, oldestSeconds: mail.oldestWaitingSeconds },
        ...{ done: mail.sent, failed: sum(mail.failed) },
      },
      {
        ...{ name: 'deliveries', waiting: federation.waiting, oldestSeconds: federation.oldestWaitingSeconds },
        ...{ done: federation.delivered, failed: sum(federation.failed) + sum(federation.dropped) },
      },
      { name: 'inbox', waiting: federation.waitingInbox },
    ],
  };
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0);

/** Returns what an operator asks first when mail does not arrive. */
function mailState({ mails }: Operated) {
  const { count, oldestMs } = mails.waiting();
  const { sent, failed } = mails.figures;
  return { sent, waiting: count, oldestWaitingSeconds: Math.round(oldestMs / 1_000), failed };
}

/** Returns what an operator asks first when other servers miss activities, or theirs are missing here. */
function federationState({ delivery, services, waitingInbox }: Operated) {
  const { count, hosts, pausedHosts, oldestMs } = delivery.waiting(services.clock.nowMs());
  const { delivered, failed, dropped } = delivery;
  const waiting = {
    waiting: count,
    waitingHosts: hosts,
    pausedHosts,
    oldestWaitingSeconds: Math.round(oldestMs / 1_000),
  };
  return { delivered, ...waiting, failed, dropped, waitingInbox: waitingInbox() };
}
