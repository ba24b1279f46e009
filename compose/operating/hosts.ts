import { isProblem, type Problem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import { deliveryPages, TRIED_MS_MAX } from '../../actors/federation/delivery/rows.js';
import { type Commands as HostCommands, hostId } from '../../actors/remote-host/remote-host.js';
import type { TypedAsk } from '../../actors/runtime/kind.js';
import type { HostState } from '../../gateway/admin-measures/operator.js';
import type { HostShown } from '../../proto/gen/types.js';
import { listedHosts } from '../../store/federation-tables.js';
import type { Tables } from '../../store/port.js';

/** Parts of a node that know deliveries to other servers. */
export interface HostNeeds {
  /** Asks the actor of another host, by hostId. */
  readonly askHost: TypedAsk<HostCommands>;
  readonly services: { readonly tables: Pick<Tables, 'range'>; readonly clock: Pick<Clock, 'nowMs'> };
}

/** Hosts that are asked at a time. */
const AT_ONCE = 8;
/** Rows of one read. */
const PAGE_ROWS = 1_000;
/** Rows that a list counts of each host. */
const COUNTED_MAX = 5_000;

/**
 * Returns hosts for which deliveries wait, have ended or are halted, by name. `after`: those behind this one. Each costs
 * a request to its actor and reads of its rows. @throws Unavailable
 */
export async function hostStates(
  node: HostNeeds,
  limit: number,
  after: string | undefined,
): Promise<readonly HostState[] | Problem> {
  const bounds = after === undefined ? {} : { after: { domain: after } };
  const rows = await node.services.tables.range(listedHosts, { century: 0 }, { ...bounds, limit });
  const hosts: HostState[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    for (const state of await Promise.all(some.map(({ key }) => hostState(node, key.domain, COUNTED_MAX))))
      if (isProblem(state)) return state;
      else hosts.push(state);
  }
  return hosts;
}

/** Counts up to `countedMax` waiting deliveries of a host. */
export async function hostState(
  { askHost, services }: HostNeeds,
  host: string,
  countedMax: number,
): Promise<HostState | Problem> {
  const id = hostId(host);
  const shown = await askHost(id, 'show', {});
  if (isProblem(shown)) return shown;
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
