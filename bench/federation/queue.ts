import { until } from '../../test/kit/time/until.js';
import { setApart } from '../cores.js';
import { cpuSeconds, OtherWork, residentMib } from '../process-figures.js';
import { percentile, type Row } from '../row.js';
import { at, Town } from '../town.js';
import { FarHosts } from './far-hosts.js';
import { LocalRequests } from './local-requests.js';

/** Local posts, which another process makes before and while the queue is worked on. */
const LOCAL_PER_SECOND = 50;
const EMPTY_SECONDS = 10;
const WARM_UP_SECONDS = 5;
const ARRIVED_MS_MAX = 180_000;
/** Targets: the live hosts of a post to 1,000, and all of one to 10,000. */
const LIVE_S_MAX = 10;
const ALL_S_MAX = 60;
const MIB_MAX = 60;

interface Case {
  readonly followers: number;
  readonly hosts: number;
  /** A tenth of the hosts is slow, and a tenth does not listen. */
  readonly mixed: boolean;
  /** Time for which local posts are timed; those after the last arrival do not count. */
  readonly seconds: number;
}

/** Measures one post to 10,000 followers on 1,000 hosts. */
export const benchQueue = (): Promise<Row[]> => measured({ followers: 10_000, hosts: 1_000, mixed: true, seconds: 10 });
/** Measures one post to followers on 10,000 hosts, with new connections. */
export const benchManyHosts = (): Promise<Row[]> =>
  measured({ followers: 10_000, hosts: 10_000, mixed: false, seconds: 60 });

async function measured({ followers, hosts, mixed, seconds: timedSeconds }: Case): Promise<Row[]> {
  const far = await FarHosts.open();
  const settings = { FEDERATION_ALLOW_CIDRS: 'loopback', RATE_LIMITS: 'off' };
  const town = await Town.open(2, 1, { settings });
  setApart(town.target.pids);
  const port = Number(new URL(town.target.urls[0] ?? '').port);
  const local = new LocalRequests({
    port,
    tokens: [at(town.authors, 1).token],
    perSecond: LOCAL_PER_SECOND,
    onlyPosts: true,
  });
  try {
    const followed = at(town.authors, 0);
    await far.follow(town.target.urls[0] ?? '', followed.username, followers, hosts, mixed);
    await far.bury();
    await town.target.settled();
    const pid = at(town.target.pids, 0);
    await local.run(WARM_UP_SECONDS);
    const others = new OtherWork(town.target.pids);
    const empty = [...(await local.run(EMPTY_SECONDS)).timesMs].sort((a, b) => a - b);
    const [mib, cpu] = [residentMib(pid), cpuSeconds(pid)];
    const startedMs = performance.now();
    const timed = local.run(timedSeconds);
    await town.call(town.post(followed, 'to everybody'));
    const answeredMs = performance.now() - startedMs;
    const live = mixed ? (hosts * 8) / 10 : hosts;
    let most = mib;
    const arrived = () => {
      most = Math.max(most, residentMib(pid));
      return far.count('Create') >= live || undefined;
    };
    await until('the post at all live hosts', arrived, ARRIVED_MS_MAX);
    const seconds = (far.lastMs() - startedMs) / 1_000;
    const used = cpuSeconds(pid) - cpu;
    const sent = Math.ceil(seconds * LOCAL_PER_SECOND);
    const { timesMs, failed } = await timed;
    const during = timesMs.slice(0, sent).sort((a, b) => a - b);
    const name = `post to ${followers} followers on ${hosts} hosts${mixed ? ', a tenth dead, a tenth slow' : ''}`;
    const max = mixed ? LIVE_S_MAX : ALL_S_MAX;
    const share = { otherCores: others.cores() };
    const p99 = (times: readonly number[]) => percentile(times, 0.99);
    return [
      {
        name: `${name}: last live host`,
        figure: `${seconds.toFixed(1)} s`,
        target: `≤ ${max} s`,
        reached: seconds <= max,
        ...share,
      },
      { name: `${name}: its answer`, figure: `${answeredMs.toFixed(0)} ms`, ...share },
      { name: `${name}: CPU of the server, with local posts`, figure: `${used.toFixed(1)} s`, ...share },
      {
        name: `${name}: memory`,
        figure: `+${(most - mib).toFixed(0)} MiB`,
        target: `≤ ${MIB_MAX} MiB`,
        reached: most - mib <= MIB_MAX,
      },
      {
        name: `${name}: local posts before, ${LOCAL_PER_SECOND} a second`,
        p50Ms: percentile(empty, 0.5),
        p99Ms: p99(empty),
      },
      {
        name: `${name}: local posts meanwhile, ${failed} refused`,
        ...{ p50Ms: percentile(during, 0.5), p99Ms: p99(during), target: 'p99 ≤ 1.2 × before' },
        reached: p99(during) <= 1.2 * p99(empty),
      },
    ];
  } finally {
    local.end();
    await town.dispose();
    await far.close();
  }
}
