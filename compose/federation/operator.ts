import { isProblem, problem, Unavailable } from '../../actors/domain/problem.js';
import { domainName } from '../../actors/domain/servers/domain-name.js';
import type { DeliveryFigures } from '../../actors/federation/delivery/figures.js';
import type { MailFigures } from '../../actors/mail/mail-figures.js';
import { HOST_ACTS, hostId } from '../../actors/remote-host/remote-host.js';
import type { Runtime } from '../../actors/runtime/runtime.js';
import type { NodeState, Operator } from '../../gateway/admin-measures/operator.js';
import type { NodeNodeStatus } from '../../proto/gen/types.js';
import { members } from '../../store/tables.js';
import { CLUSTER, MEMBERS_READ_MAX } from '../membership.js';
import { type HostNeeds, hostStates } from './hosts.js';

/** Parts of a running node that its operators see (node.ts). */
interface Operated extends HostNeeds {
  readonly runtime: Pick<Runtime, 'metrics' | 'load'>;
  readonly delivery: DeliveryFigures;
  readonly mails: { readonly figures: MailFigures; waiting(): ReturnType<MailFigures['waiting']> };
  waitingInbox(): number;
  status(): NodeNodeStatus;
}

/** Activations of which the page of operators shows the mailbox. */
const BUSIEST_MAX = 10;

/** Returns the state of a node as `murmuration status` prints it. */
export function nodeState(node: Operated): NodeState {
  const { unsettled } = node.runtime.metrics;
  return { ...node.status(), unsettled, mail: mailState(node), federation: federationState(node) };
}

/** Returns the operator's view of a node, for pages. @param nodeNow undefined until the node has started */
export function operatorOf(nodeNow: () => Operated | undefined): Operator {
  const started = () => {
    const node = nodeNow();
    if (node === undefined) throw new Unavailable('the node is starting');
    return node;
  };
  return {
    state: () => nodeState(started()),
    actors: () => started().runtime.load(BUSIEST_MAX),
    async members() {
      const { tables } = started().services;
      const rows = await tables.range(members, { cluster: CLUSTER }, { limit: MEMBERS_READ_MAX });
      return rows.map(({ value: { name, state, version, format } }) => ({ name, state, version, format }));
    },
    hosts: (limit, after) => hostStates(started(), limit, after),
    async steer(host, act) {
      const domain = domainName(host);
      if (domain === undefined || !(HOST_ACTS as readonly string[]).includes(act))
        return problem('not_found', 'Record not found');
      const done = await started().askHost(hostId(domain), 'steer', { domain, act });
      return isProblem(done) ? done : undefined;
    },
  };
}

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
