import { until } from '../../test/kit/time/until.js';
import { cpuSeconds, OtherWork, residentMib } from '../process-figures.js';
import { percentile, type Row } from '../row.js';
import { at, Town } from '../town.js';
import { FarHosts } from './far-hosts.js';

/** Posts whose answers are timed, before and while the queue is worked on. */
const ANSWERS = 100;
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
}

/** Measures one post to 10,000 followers on 1,000 hosts. */
export const benchQueue = (): Promise<Row[]> => measured({ followers: 10_000, hosts: 1_000, mixed: true });
/** Measures one post to followers on 10,000 hosts, with new connections. */
export const benchManyHosts = (): Promise<Row[]> => measured({ followers: 10_000, hosts: 10_000, mixed: false });

async function measured({ followers, hosts, mixed }: Case): Promise<Row[]> {
  const far = await FarHosts.open();
  const settings = { FEDERATION_ALLOW_CIDRS: 'loopback', RATE_LIMITS: 'off' };
  const town = await Town.open(2, 1, { settings });
  try {
    const [followed, unknown] = [at(town.authors, 0), at(town.authors, 1)];
    await far.follow(town.target.urls[0] ?? '', followed.username, followers, hosts, mixed);
    await far.bury();
    await town.target.settled();
    const pid = at(town.target.pids, 0);
    const answers = async () => {
      const times: number[] = [];
      for (let post = 0; post < ANSWERS; post++) {
        const startedMs = performance.now();
        await town.call(town.post(unknown, `local ${post}`));
        times.push(performance.now() - startedMs);
      }
      return times.sort((a, b) => a - b);
    };
    await answers();
    const others = new OtherWork(town.target.pids);
    const [empty, mib, cpu] = [await answers(), residentMib(pid), cpuSeconds(pid)];
    const startedMs = performance.now();
    await town.call(town.post(followed, 'to everybody'));
    const answeredMs = performance.now() - startedMs;
    const during = await answers();
    const live = mixed ? (hosts * 8) / 10 : hosts;
    let most = mib;
    const arrived = () => {
      most = Math.max(most, residentMib(pid));
      return far.count('Create') >= live || undefined;
    };
    await until('the post at all live hosts', arrived, ARRIVED_MS_MAX);
    const seconds = (far.lastMs - startedMs) / 1_000;
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
      { name: `${name}: CPU of the server`, figure: `${(cpuSeconds(pid) - cpu).toFixed(1)} s`, ...share },
      {
        name: `${name}: memory`,
        figure: `+${(most - mib).toFixed(0)} MiB`,
        target: `≤ ${MIB_MAX} MiB`,
        reached: most - mib <= MIB_MAX,
      },
      { name: `${name}: local posts before`, p50Ms: percentile(empty, 0.5), p99Ms: p99(empty) },
      {
        name: `${name}: local posts meanwhile`,
        ...{ p50Ms: percentile(during, 0.5), p99Ms: p99(during), target: 'p99 ≤ 1.2 × before' },
        reached: p99(during) <= 1.2 * p99(empty),
      },
    ];
  } finally {
    await town.dispose();
    await far.close();
  }
}
