import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { domainName } from '../../actors/domain/servers/domain-name.js';
import { WAITING_MAX } from '../../actors/federation/delivery/pass.js';
import { HOST_ACTS, hostId } from '../../actors/remote-host/remote-host.js';
import type { Node } from '../../compose/node.js';
import { hostState, hostStates } from '../../compose/operating/hosts.js';
import type { HostState } from '../../gateway/admin-measures/operator.js';
import { Refused } from '../refused.js';
import { type Declare, printLine, type WithRun } from '../running.js';

/** Operations of the command line on other servers. */
export interface FederationOperations {
  /** Hosts for which deliveries wait, have ended or are halted. `after`: those behind this one. */
  'federation.hosts': { in: { limit: number; after?: string }; out: { hosts: readonly HostState[] } };
  'federation.show': { in: { host: string }; out: HostState };
  'federation.steer': { in: { host: string; act: string }; out: object };
}

const HOSTS_DEFAULT = 100;
/** Hosts of one answer. Each costs a request to its actor and reads of its rows. */
const HOSTS_MAX = 500;
/** Implements the operations on a node. */
export const federationOperations: {
  readonly [K in keyof FederationOperations]: (
    node: Node,
    input: FederationOperations[K]['in'],
  ) => Promise<FederationOperations[K]['out']>;
} = {
  async 'federation.hosts'(node, { limit, after }) {
    if (!Number.isInteger(limit) || limit < 1 || limit > HOSTS_MAX) throw new Refused(`the limit is 1 to ${HOSTS_MAX}`);
    const hosts = accepted(await hostStates(node, limit, after === undefined ? undefined : hostOf(after)));
    return { hosts };
  },
  'federation.show': async (node, { host }) => accepted(await hostState(node, hostOf(host), WAITING_MAX * 2)),
  async 'federation.steer'({ askHost }, { host, act }) {
    if (!(HOST_ACTS as readonly string[]).includes(act)) throw new Refused(`there are ${HOST_ACTS.join(', ')}`);
    const domain = hostOf(host);
    accepted(await askHost(hostId(domain), 'steer', { domain, act }));
    return {};
  },
};

function accepted<T>(value: T | Problem): T {
  if (isProblem(value)) throw new Refused(value.detail);
  return value;
}

function hostOf(text: unknown): string {
  const host = domainName(String(text));
  if (host === undefined) throw new Refused('a host is a name such as social.example, with a port if it has one');
  return host;
}

/** Adds `federation hosts|show|retry|drop|pause|resume` to the program. */
export function addFederationCommands(command: Declare, withRun: WithRun<FederationOperations>): void {
  command('hosts', 'print hosts for which activities wait, have ended or are paused, one per line')
    .option('--limit <count>', 'number of hosts', String(HOSTS_DEFAULT))
    .option('--after <host>', 'hosts behind this one')
    .action((flags) =>
      withRun(flags, async (run) => {
        const { limit, after } = flags as Partial<Record<string, string>>;
        const page = { limit: Number(limit), ...(after === undefined ? {} : { after }) };
        for (const host of (await run('federation.hosts', page)).hosts) printLine(host);
      }),
    );
  command('show <host>', 'print one host').action((host, flags) =>
    withRun(flags, async (run) => printLine(await run('federation.show', { host }))),
  );
  const acts = {
    retry: 'try at once what waits for a host, also one that has failed for a week',
    drop: 'delete what waits for a host',
    pause: 'send nothing to a host; its activities wait',
    resume: 'end a pause',
  };
  for (const [act, description] of Object.entries(acts))
    command(`${act} <host>`, description).action((host, flags) =>
      withRun(flags, async (run) => printLine(await run('federation.steer', { host, act }))),
    );
}
