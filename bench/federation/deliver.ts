import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newKey, Peer } from '../../test/kit/federation/peer.js';
import { until } from '../../test/kit/time/until.js';
import type { Made } from '../accounts.js';
import { cpuSeconds, OtherWork } from '../process-figures.js';
import { percentile, type Row } from '../row.js';
import { at, Town } from '../town.js';

const HOSTS = 100;
const ROUNDS = 5;
/** Posts of a round, one after the other. */
const POSTS = 20;
/** Posts before the first round: connections open, and V8 compiles. */
const WARM_UP = 40;
/** Time within which the deliveries of one post arrive. */
const ARRIVED_MS_MAX = 30_000;
/** Target in server CPU-seconds per 1,000 deliveries over kept connections. */
const CPU_MAX = 0.9;

/**
 * Measures deliveries of a post to followers on 100 hosts, over kept connections, in turn with the same posts of an
 * author whom nobody elsewhere follows. Reads no answer but counts arrivals; only the server's CPU time counts.
 */
export async function benchDeliver(): Promise<Row[]> {
  const peer = await Peer.open();
  const inboxes = await Inboxes.open(HOSTS);
  const town = await Town.open(2, 1, { settings: { FEDERATION_ALLOW_CIDRS: 'loopback' } });
  try {
    const key = newKey();
    const base = town.target.urls[0] ?? '';
    const [followed, unknown] = [at(town.authors, 0), at(town.authors, 1)];
    for (const [index, inbox] of inboxes.addresses.entries()) {
      const fan = peer.actor(`f${index}`, { inbox, endpoints: { sharedInbox: inbox } }, key);
      assert.equal(await fan.post(`${base}/inbox`, fan.activity('Follow', `${base}/users/${followed.username}`)), 202);
    }
    await until('an Accept at each host', () => inboxes.arrived === HOSTS, ARRIVED_MS_MAX);
    const rounds = new Rounds(town, inboxes);
    await rounds.run(unknown, WARM_UP, 0);
    await rounds.run(followed, WARM_UP, HOSTS);
    const others = new OtherWork(town.target.pids);
    const costs: number[] = [];
    const times: number[] = [];
    let seconds = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await rounds.run(unknown, POSTS, 0);
      const sent = await rounds.run(followed, POSTS, HOSTS);
      costs.push(((sent.cpu - bare.cpu) * 1_000) / (POSTS * HOSTS));
      times.push(...sent.times);
      seconds += sent.times.reduce((sum, ms) => sum + ms, 0) / 1_000;
    }
    costs.sort((a, b) => a - b);
    times.sort((a, b) => a - b);
    const cpuSecondsPer1000 = costs[Math.floor(ROUNDS / 2)] ?? 0;
    const row: Row = {
      name: `delivery of a post to ${HOSTS} hosts, kept connections; p50 and p99: post → last host`,
      perSecond: (POSTS * HOSTS * ROUNDS) / seconds,
      ...{ p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), cpuSecondsPer1000 },
      cpuSecondsPer1000Between: [costs[0] ?? 0, costs.at(-1) ?? 0],
      ...{ target: `≤ ${CPU_MAX}`, reached: cpuSecondsPer1000 <= CPU_MAX, otherCores: others.cores() },
    };
    return [row];
  } finally {
    await town.dispose();
    await inboxes.close();
    await peer.close();
  }
}

/** Posts of one author after the other, each until all hosts have it. */
class Rounds {
  #posts = 0;

  constructor(
    private readonly town: Town,
    private readonly inboxes: Inboxes,
  ) {}

  /** Returns the server's CPU-seconds, and the milliseconds of each post until the last arrival. */
  async run(author: Made, posts: number, hosts: number): Promise<{ readonly cpu: number; readonly times: number[] }> {
    const { target } = this.town;
    const used = () => target.pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
    await target.settled();
    const before = used();
    const times: number[] = [];
    for (let post = 0; post < posts; post++) {
      const startedMs = performance.now();
      const arrived = this.inboxes.after(hosts);
      await this.town.call(this.town.post(author, `number ${this.#posts++}`));
      await arrived;
      times.push(performance.now() - startedMs);
    }
    await target.settled();
    return { cpu: used() - before, times };
  }
}

/** Servers on loopback that take every activity and count them: each port is a host of its own. */
class Inboxes {
  arrived = 0;
  #awaited: { readonly count: number; readonly reached: () => void } | undefined;

  private constructor(private readonly servers: readonly Server[]) {}

  static async open(count: number): Promise<Inboxes> {
    const made: { inboxes?: Inboxes } = {};
    const one = () =>
      createServer((request, response) => {
        request.resume().on('end', () => {
          response.writeHead(202).end();
          made.inboxes?.count();
        });
      });
    const servers = Array.from({ length: count }, one);
    const listening = (server: Server) => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    await Promise.all(servers.map(listening));
    made.inboxes = new Inboxes(servers);
    return made.inboxes;
  }

  get addresses(): string[] {
    return this.servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/inbox`);
  }

  /** Resolves after `more` further arrivals. @throws when they take too long */
  async after(more: number): Promise<void> {
    if (more === 0) return;
    const count = this.arrived + more;
    await new Promise<void>((reached, failed) => {
      const timer = setTimeout(() => failed(new Error(`${this.arrived} of ${count} arrived`)), ARRIVED_MS_MAX);
      this.#awaited = { count, reached: () => reached(clearTimeout(timer)) };
    });
  }

  count(): void {
    this.arrived += 1;
    if (this.arrived >= (this.#awaited?.count ?? Number.POSITIVE_INFINITY)) this.#awaited?.reached();
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  }
}
