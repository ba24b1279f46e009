import { isProblem } from '../../actors/domain/problem.js';
import { domainName } from '../../actors/domain/servers/domain-name.js';
import { WAITING_MAX } from '../../actors/federation/delivery/pass.js';
import { deliveryPages, TRIED_MS_MAX } from '../../actors/federation/delivery/rows.js';
import { HOST_ACTS, hostId } from '../../actors/remote-host/remote-host.js';
import type { Node } from '../../compose/node.js';
import type { HostShown } from '../../proto/gen/types.js';
import { listedHosts } from '../../store/federation-tables.js';
import { Refused } from '../refused.js';
import { type Declare, printLine, type WithRun } from '../running.js';

/** Operations of the command line on other servers. */
export interface FederationOperations {
  /** Hosts for which deliveries wait, have ended or are halted. `after`: those behind this one. */
  'federation.hosts': { in: { limit: number; after?: string }; out: { hosts: readonly HostState[] } };
  'federation.show': { in: { host: string }; out: HostState };
  'federation.steer': { in: { host: string; act: string }; out: object };
}

interface HostState {
  readonly host: string;
  /** `open`: deliveries are paused, one attempt at a time. `gone`: nothing is sent until the host sends something. */
  readonly state: 'closed' | 'open' | 'gone' | 'paused';
  readonly [fact: string]: unknown;
}

const HOSTS_DEFAULT = 100;
/** Hosts of one answer. Each costs a request to its actor and reads of its rows. */
const HOSTS_MAX = 500;
/** Hosts that are asked at a time. */
const AT_ONCE = 8;
/** Rows of one read. */
const PAGE_ROWS = 1_000;
/** Rows that `hosts` counts of each host; `show` counts all that there can be. */
const COUNTED_MAX = 5_000;

/** Implements the operations on a node. */
export const federationOperations: {
  readonly [K in keyof FederationOperations]: (
    node: Node,
    input: FederationOperations[K]['in'],
  ) => Promise<FederationOperations[K]['out']>;
} = {
  async 'federation.hosts'(node, { limit, after }) {
    if (!Number.isInteger(limit) || limit < 1 || limit > HOSTS_MAX) throw new Refused(`the limit is 1 to ${HOSTS_MAX}`);
    const bounds = after === undefined ? {} : { after: { domain: hostOf(after) } };
    const rows = await node.services.tables.range(listedHosts, { century: 0 }, { ...bounds, limit });
    const hosts: HostState[] = [];
    for (let at = 0; at < rows.length; at += AT_ONCE)
      hosts.push(
        ...(await Promise.all(rows.slice(at, at + AT_ONCE).map(({ key }) => stateOf(node, key.domain, COUNTED_MAX)))),
      );
    return { hosts };
  },
  'federation.show': (node, { host }) => stateOf(node, hostOf(host), WAITING_MAX * 2),
  async 'federation.steer'({ askHost }, { host, act }) {
    if (!(HOST_ACTS as readonly string[]).includes(act)) throw new Refused(`there are ${HOST_ACTS.join(', ')}`);
    const domain = hostOf(host);
    const done = await askHost(hostId(domain), 'steer', { domain, act });
    if (isProblem(done)) throw new Refused(done.detail);
    return {};
  },
};

function hostOf(text: unknown): string {
  const host = domainName(String(text));
  if (host === undefined) throw new Refused('a host is a name such as social.example, with a port if it has one');
  return host;
}

/** Counts up to `countedMax` waiting deliveries of a host. */
async function stateOf({ askHost, services }: Node, host: string, countedMax: number): Promise<HostState> {
  const id = hostId(host);
  const shown = await askHost(id, 'show', {});
  if (isProblem(shown)) throw new Refused(shown.detail);
  const nowMs = services.clock.nowMs();
  let [waiting, oldestMs] = [0, 0];
  const fromMs = shown.fromMs || nowMs - TRIED_MS_MAX;
  for await (const page of deliveryPages(services.tables, id, fromMs, nowMs, PAGE_ROWS)) {
    oldestMs ||= page[0]?.key.atMs ?? 0;
    waiting += page.length;
    if (waiting >= countedMax) break;
  }
  const { breaker, passes, retired, scheme, tally, nextMs } = shown;
  const { failingSinceMs = 0, pausedUntilMs = 0 } = breaker ?? {};
  return {
    ...{ host, state: stateName(shown), waiting },
    ...(waiting >= countedMax ? { moreWait: true } : {}),
    oldest: timeOf(oldestMs),
    next: timeOf(pausedUntilMs > nowMs ? pausedUntilMs : nextMs),
    failingSince: timeOf(failingSinceMs),
    ...{ delivering: passes > 0, retiredInboxes: retired, scheme: scheme || null, attempts: tally ?? {} },
  };
}

function stateName({ held, gone, breaker }: HostShown): HostState['state'] {
  if (held) return 'paused';
  if (gone) return 'gone';
  return (breaker?.openings ?? 0) > 0 ? 'open' : 'closed';
}

const timeOf = (ms: number): string | null => (ms > 0 ? new Date(ms).toISOString() : null);

/** Returns what an operator asks first when other servers miss activities, or theirs are missing here. */
export function federationState({ delivery, services, waitingInbox }: Node) {
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
