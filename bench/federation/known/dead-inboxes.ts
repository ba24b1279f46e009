import { operatorClient } from '../../../cli/operator-socket.js';
import { freePort } from '../../../cluster/local/process.js';
import { newKey } from '../../../test/kit/federation/peer.js';

import type { ServerProcess } from '../../../test/kit/services/server-process.js';
import { createAccounts } from '../../accounts.js';
import { startServer } from '../../measured-server.js';
import { cpuSeconds, OtherWork, residentFileMib, residentMib } from '../../process-figures.js';
import { percentile, type Row } from '../../row.js';
import { SilentServer } from '../../silent-server.js';
import { at, settled, Town } from '../../town.js';
import { FarHosts } from '../far-hosts.js';
import { storeKnown } from './known.js';

/** Hosts that do not listen, with a follower each. DEAD_HOSTS makes a shorter run. */
const DEAD = Number(process.env.DEAD_HOSTS ?? 100_000);
/** Hosts that accept connections and never answer: an attempt ends after 10 s, so about 1,600 are made in the time. */
const SILENT = 2_000;
const SILENT_MS = 60_000;
/** Hosts that answer at once. */
const LIVE = 20;
const POST_PAUSE_MS = 200;
const TRIED_MS_MAX = 10 * 60_000;
const LIVE_MS_MAX = 2_000;
/** A node that starts looks at each account with unfinished effects. */
const SETTLED_MS_MAX = 10 * 60_000;

interface Figures {
  readonly waiting: number;
  readonly waitingHosts: number;
  readonly failed: { readonly unreachable: number; readonly timeout: number };
}

/** Hosts of which no one takes an activity, and the time for which they are measured. */
interface Unreachable {
  readonly what: string;
  readonly count: number;
  readonly port: number;
  /** Attempts after which the bench ends; absent: it ends after `forMs`. */
  readonly attempts?: number;
  readonly forMs: number;
}

/** Ends when the server has tried each dead inbox once. Connections are refused. */
export async function benchDeadInboxes(): Promise<Row[]> {
  const port = await freePort('127.0.0.1');
  return bench({ what: 'do not listen', count: DEAD, port, attempts: DEAD, forMs: TRIED_MS_MAX });
}

/** As `benchDeadInboxes`, with hosts that hold each attempt until its timeout. */
export async function benchSilentInboxes(): Promise<Row[]> {
  const silent = await SilentServer.open();
  try {
    return await bench({ what: 'never answer', count: SILENT, port: silent.port, forMs: SILENT_MS });
  } finally {
    await silent.close();
  }
}

/**
 * Measures one post to followers on unreachable hosts, while posts go to hosts that answer. Each made-up host is an
 * address of loopback.
 */
async function bench(unreachable: Unreachable): Promise<Row[]> {
  const far = await FarHosts.open();
  const server = await startServer({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  try {
    const authors = await createAccounts(server, 2);
    const town = Town.onServer(server, authors, authors.length);
    const [sender, other] = [at(authors, 0), at(authors, 1)];
    const { publicKeyPem } = newKey();
    const { count: to, port } = unreachable;
    const storedSeconds = await storeKnown(server, {
      publicKeyPem,
      from: 0,
      to,
      statuses: 0,
      port,
      followed: sender.id,
    });
    await far.follow(server.url, other.username, LIVE, LIVE, false);
    await settled([server.dataDir], SETTLED_MS_MAX);
    const post = () => far.reached(LIVE, () => town.call(town.post(other, 'to hosts that live')));
    for (let warm = 0; warm < 5; warm++) await post();
    return await measured(server, unreachable, storedSeconds, () => town.call(town.post(sender, 'to the dead')), post);
  } finally {
    await server.dispose();
    await far.close();
  }
}

async function measured(
  server: ServerProcess,
  { what, count, attempts, forMs }: Unreachable,
  storedSeconds: number,
  toTheDead: () => Promise<void>,
  post: () => Promise<number>,
): Promise<Row[]> {
  const figures = async () =>
    ((await operatorClient(server.dataDir)('status', {})) as { readonly federation: Figures }).federation;
  const ownMib = () => residentMib(server.pid) - residentFileMib(server.pid);
  const [others, cpu, mib] = [new OtherWork([server.pid]), cpuSeconds(server.pid), ownMib()];
  const failures = ({ failed }: Figures) => failed.unreachable + failed.timeout;
  const triedBefore = failures(await figures());
  const startedMs = performance.now();
  await toTheDead();
  const answerMs = performance.now() - startedMs;
  const times: number[] = [];
  let [mostMib, now] = [mib, await figures()];
  const tries = () => failures(now) - triedBefore;
  const wanted = attempts ?? Number.POSITIVE_INFINITY;
  while (tries() < wanted && performance.now() < startedMs + forMs) {
    times.push(await post());
    mostMib = Math.max(mostMib, ownMib());
    await new Promise((resolve) => setTimeout(resolve, POST_PAUSE_MS));
    now = await figures();
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const tried = tries();
  times.sort((a, b) => a - b);
  const p99Ms = percentile(times, 0.99);
  const share = { otherCores: others.cores() };
  return [
    {
      name: `${tried} attempts at ${count} hosts that ${what} (stored in ${storedSeconds.toFixed(0)} s), in ${seconds.toFixed(0)} s`,
      ...{ perSecond: tried / seconds, cpuSecondsPer1000: ((cpuSeconds(server.pid) - cpu) / tried) * 1_000, ...share },
      ...(attempts === undefined ? {} : { target: 'each is tried', reached: tried >= attempts }),
    },
    { name: 'answer to the post', figure: `${answerMs.toFixed(0)} ms` },
    {
      name: `memory meanwhile; then ${now.waiting} deliveries for ${now.waitingHosts} hosts in the figures`,
      figure: `+${(mostMib - mib).toFixed(0)} MiB`,
    },
    {
      name: `post → last of ${LIVE} live hosts meanwhile, ${times.length} posts`,
      ...{ p50Ms: percentile(times, 0.5), p99Ms, target: `p99 < ${LIVE_MS_MAX} ms`, reached: p99Ms < LIVE_MS_MAX },
    },
  ];
}
