import { isProblem, problem, Unavailable } from '../../actors/domain/problem.js';
import { domainName } from '../../actors/domain/servers/domain-name.js';
import { HOST_ACTS, hostId } from '../../actors/remote-host/remote-host.js';
import type { NodeReport, Operator } from '../../gateway/admin-measures/operator.js';
import type { NodeNodeLoad } from '../../proto/gen/types.js';
import { members } from '../../store/tables.js';
import { CLUSTER, MEMBERS_READ_MAX } from '../membership.js';
import { hostStates } from './hosts.js';
import { nodeLoad, type Operated } from './node-load.js';

/** A node with its connection to others. */
interface Connected extends Operated {
  /** Absent where there are never other nodes. */
  readonly loadAt: ((address: string) => Promise<NodeNodeLoad>) | undefined;
}

/** Returns the operator's view of a node, for pages. @param nodeNow undefined until the node has started */
export function operatorOf(nodeNow: () => Connected | undefined): Operator {
  const started = () => {
    const node = nodeNow();
    if (node === undefined) throw new Unavailable('the node is starting');
    return node;
  };
  return {
    nodes: () => nodeReports(started()),
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

/** Returns this node and the others of its cluster, each with its load if it answers. @throws Unavailable */
async function nodeReports(node: Connected): Promise<readonly NodeReport[]> {
  const own = nodeLoad(node);
  const { name, state, version } = own.status ?? NAMELESS;
  const self = { name, state, version, isSelf: true, load: own };
  const { loadAt } = node;
  if (loadAt === undefined) return [self];
  const rows = await node.services.tables.range(members, { cluster: CLUSTER }, { limit: MEMBERS_READ_MAX });
  const others = rows.filter(({ value }) => value.name !== name);
  const reports = others.map(async ({ value }): Promise<NodeReport> => {
    // A node that hangs, or whose program is older than this call, does not answer.
    const load = value.state === 'gone' ? undefined : await loadAt(value.grpcAddress).catch(() => undefined);
    return { name: value.name, state: value.state, version: value.version, isSelf: false, load };
  });
  return [self, ...(await Promise.all(reports))].sort((one, other) => (one.name < other.name ? -1 : 1));
}

const NAMELESS = { name: '', state: '', version: '' };
