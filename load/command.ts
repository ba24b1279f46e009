import { access, constants, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command, CommanderError } from 'commander';
import { Client, NoAnswer } from './clients/client.js';
import { streamTargetsOf } from './clients/stream-address.js';
import { admit, type Target } from './clients/target-guard.js';
import { summary } from './judging/summary.js';
import { defaultLimits, type Limits, limitsOf, quantity } from './limits.js';
import {
  BadPlan,
  checked,
  defaultPlan,
  mixOf,
  operationNames,
  type Plan,
  peersOf,
  scenarios,
  USERS_MAX,
} from './plan.js';
import { showProgress } from './progress.js';
import { runLoad } from './run.js';
import { registered, tokensOf, verified } from './users.js';

/** Exit codes: a limit was exceeded; an impossible plan; the server could not be prepared. */
const EXIT_PAST_LIMIT = 1;
const EXIT_BAD_PLAN = 2;
const EXIT_NO_ANSWER = 3;
/** Maximum number of nodes of one server: load a larger cluster through its load balancer. */
const SERVERS_MAX = 100;
/** Connections before the run, for verifying tokens and signing users up. */
const FIRST_CONNECTIONS = 16;
/** Each signal ends a run early, and at once when it comes a second time. */
const ENDING = ['SIGINT', 'SIGTERM'] as const;

type Flags = Readonly<Record<string, string | undefined>>;

function build(): Command {
  const command = new Command('murmuration load')
    .description(
      'load a Mastodon-compatible server of your own, and say whether it lost, repeated, reordered or delayed',
    )
    .argument('<servers...>', 'its address, such as http://localhost:3000, or those of several nodes of one server')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'murmuration load: ')) });
  const list = Object.keys(scenarios).join(', ');
  return command
    .option('--users <file>', 'JSON lines with "token": what `account create --from` prints')
    .option('--register <n>', 'sign so many users up instead, where that needs no confirmation')
    .option('--users-max <n>', 'take so many of the file')
    .option('--mix <mix>', `${operationNames.join(', ')} with weights (home:9,post:1), or a scenario: ${list}`, 'mixed')
    .option('--in-flight <n>', 'closed loop: so many requests under way at any time; with --rate at most so many')
    .option('--rate <n/s>', 'open loop: so many requests a second, whether answers come or not')
    .option('--arrivals <kind>', 'even, or poisson: with --rate', 'even')
    .option('--ramp <time>', 'from nothing to the whole load', '0s')
    .option('--for <time>', 'how long', '30s')
    .option('--count <n>', 'end after so many requests, if that is sooner')
    .option('--warm-up <time>', 'what begins before is in the curves only', '0s')
    .option('--timeout <time>', 'for an answer', '10s')
    .option('--authors <n>', 'only the first so many users post')
    .option('--follows <n>', 'authors that each user follows before the run')
    .option('--streams <n>', 'streams that are open during the whole run')
    .option('--pushes <n>', 'users who get a push for each post of those whom they follow')
    .option('--peers <n>', 'synthetic servers that sign, or kinds of them, as fast:20,slow:2,busy:2,dead:1')
    .option('--cut <time>', 'cut each of these streams so often; it resumes at the next server (our extension)')
    .option('--sample <n>', 'homes looked through after the run')
    .option('--late <time>', 'a post seen later than this is late')
    .option('--settle <time>', 'how long after the run a post may be missing before it is lost')
    .option('--seed <n>', 'the same choices again')
    .option('--max-errors <share>', 'as 0.1%, or post=0.1%,home=1%', '1%')
    .option('--max-shed <share>', '503 with Retry-After; likewise')
    .option('--max-p50 <time>', 'as 10ms, or post=40ms,home=10ms')
    .option('--max-p99 <time>', 'likewise')
    .option('--max-p999 <time>', 'likewise')
    .option('--min-rate <n/s>', 'good answers a second; likewise')
    .option('--max-visible-p99 <time>', 'from sending a post to seeing it at a follower')
    .option('--max-lost <n>', 'posts', '0')
    .option('--max-repeated <n>', 'posts', '0')
    .option('--max-out-of-order <n>', 'posts', '0')
    .option('--max-late <n>', 'posts; unset: late posts are told, but no failure')
    .option('--json <file>', 'write the result; - is stdout')
    .option('--report <file>', 'write a page with plots')
    .option(
      '--i-own-this-server <host>',
      'needed for a server that is not this machine; must be exactly its host; once for each host',
      (host: string, before: readonly string[] = []) => [...before, host],
    );
}

/** Runs `node main.js load ARGS…`, of which `load` is the first word; returns the exit code. */
export async function commandLine([, ...args]: readonly string[]): Promise<number> {
  try {
    const command = build().parse(args, { from: 'user' });
    const { iOwnThisServer = [], ...flags } = command.opts<{ iOwnThisServer?: readonly string[] }>();
    return await load(command.args, flags, iOwnThisServer);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_BAD_PLAN;
    if (!(error instanceof BadPlan || error instanceof NoAnswer)) throw error;
    process.stderr.write(`murmuration load: ${error.message}\n`);
    return error instanceof BadPlan ? EXIT_BAD_PLAN : EXIT_NO_ANSWER;
  }
}

async function load(servers: readonly string[], flags: Flags, ownedHosts: readonly string[]): Promise<number> {
  const [plan, limits] = [checked(planOf(flags)), limitsFrom(flags)];
  if (servers.length > SERVERS_MAX) throw new BadPlan(`at most ${SERVERS_MAX} servers`);
  const targets = await Promise.all(servers.map((server) => admit(server, ownedHosts)));
  if ((flags.users === undefined) === (flags.register === undefined)) {
    throw new BadPlan('users are needed: either --users FILE or --register N');
  }
  for (const file of [flags.json, flags.report]) await assertWritable(file);
  const abort = new AbortController();
  const stop = () => abort.abort();
  for (const signal of ENDING) process.once(signal, stop);
  const { signal } = abort;
  const { users, streams } = await introduced(targets, plan.timeoutMs, flags, ownedHosts, signal);
  if (streams.passedOver !== undefined) {
    process.stderr.write(`murmuration load: ${streams.passedOver}. Streams are opened at the server's own address\n`);
  }
  let endProgress = () => {};
  const result = await runLoad({
    targets,
    streamTargets: streams.targets,
    users,
    plan,
    limits,
    signal,
    onStart: (progress) => {
      endProgress = showProgress(progress, plan, process.stderr);
    },
  }).finally(() => {
    endProgress();
    for (const name of ENDING) process.removeListener(name, stop);
  });
  const json = `${JSON.stringify(result, null, 2)}\n`;
  if (flags.json === '-') process.stdout.write(json);
  else if (flags.json !== undefined) await writeFile(flags.json, json);
  if (flags.report !== undefined) {
    const { reportPage } = await import('./report/page.js');
    await writeFile(flags.report, reportPage(result));
  }
  (flags.json === '-' ? process.stderr : process.stdout).write(summary(result));
  return result.passed ? 0 : EXIT_PAST_LIMIT;
}

/** Returns the users, and the address of the server's streams. @throws BadPlan, NoAnswer */
async function introduced(
  targets: readonly Target[],
  timeoutMs: number,
  flags: Flags,
  ownedHosts: readonly string[],
  signal: AbortSignal,
) {
  const client = new Client(targets, FIRST_CONNECTIONS, timeoutMs);
  try {
    const usersMax = whole(flags.usersMax, '--users-max') ?? USERS_MAX;
    const count = Math.min(whole(flags.register, '--register') ?? 0, usersMax);
    const tokens =
      flags.users === undefined ? await registered(client, count, signal) : await tokensOf(flags.users, usersMax);
    const users = await verified(client, tokens, signal);
    return { users, streams: await streamTargetsOf(client, targets, ownedHosts) };
  } finally {
    await client.close();
  }
}

/** Checks that a file can be written, so that the results of a run are not lost. @throws BadPlan */
async function assertWritable(file: string | undefined): Promise<void> {
  if (file === undefined || file === '-') return;
  try {
    const opened = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (opened === undefined) await access(dirname(file), constants.W_OK);
    else await opened.close();
  } catch (error) {
    throw new BadPlan(`${file} cannot be written: ${(error as Error).message}`);
  }
}

/** Parses a whole number. @throws BadPlan */
function whole(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new BadPlan(`${name} takes a whole number, not "${text}"`);
  return Number(text);
}

function planOf(flags: Flags): Plan {
  const ms = (text: string | undefined, usual: number) => (text === undefined ? usual : quantity(text, 'duration'));
  const count = (text: string | undefined, name: string, usual: number) => whole(text, name) ?? usual;
  const rampMs = ms(flags.ramp, 0);
  const { arrivals = 'even' } = flags;
  if (arrivals !== 'even' && arrivals !== 'poisson') throw new BadPlan('--arrivals takes even or poisson');
  return {
    mix: mixOf(flags.mix ?? 'mixed'),
    pace:
      flags.rate === undefined
        ? { kind: 'closed', inFlight: count(flags.inFlight, '--in-flight', 16), rampMs }
        : {
            kind: 'open',
            perSecond: quantity(flags.rate, 'rate'),
            rampMs,
            arrivals,
            inFlightMax: count(flags.inFlight, '--in-flight', 1_000),
          },
    durationMs: ms(flags.for, defaultPlan.durationMs),
    requestsMax: count(flags.count, '--count', defaultPlan.requestsMax),
    warmUpMs: ms(flags.warmUp, 0),
    timeoutMs: ms(flags.timeout, defaultPlan.timeoutMs),
    authors: whole(flags.authors, '--authors'),
    follows: count(flags.follows, '--follows', defaultPlan.follows),
    streams: count(flags.streams, '--streams', defaultPlan.streams),
    pushes: count(flags.pushes, '--pushes', defaultPlan.pushes),
    peers: flags.peers === undefined ? defaultPlan.peers : peersOf(flags.peers),
    cutMs: flags.cut === undefined ? undefined : quantity(flags.cut, 'duration'),
    sample: count(flags.sample, '--sample', defaultPlan.sample),
    lateMs: ms(flags.late, defaultPlan.lateMs),
    settleMs: ms(flags.settle, defaultPlan.settleMs),
    seed: count(flags.seed, '--seed', defaultPlan.seed),
  };
}

function limitsFrom(flags: Flags): Limits {
  const each = (text: string | undefined, kind: 'share' | 'duration' | 'rate') =>
    text === undefined ? [] : limitsOf(text, kind);
  return {
    errors: flags.maxErrors === undefined ? defaultLimits.errors : limitsOf(flags.maxErrors, 'share'),
    shed: each(flags.maxShed, 'share'),
    p50: each(flags.maxP50, 'duration'),
    p99: each(flags.maxP99, 'duration'),
    p999: each(flags.maxP999, 'duration'),
    rate: each(flags.minRate, 'rate'),
    visibleP99: flags.maxVisibleP99 === undefined ? undefined : quantity(flags.maxVisibleP99, 'duration'),
    verdicts: {
      lost: whole(flags.maxLost, '--max-lost'),
      repeated: whole(flags.maxRepeated, '--max-repeated'),
      outOfOrder: whole(flags.maxOutOfOrder, '--max-out-of-order'),
      late: whole(flags.maxLate, '--max-late'),
    },
  };
}
