import { newKey, Peer, type PeerKey } from '../../../test/kit/federation/peer.js';
import type { ServerProcess } from '../../../test/kit/services/server-process.js';
import { createAccounts, type Made } from '../../accounts.js';
import { Xorshift } from '../../graph.js';
import { type Call, type Load, measureInTurn } from '../../http-load.js';
import { startServer } from '../../measured-server.js';
import { residentFileMib, residentMib } from '../../process-figures.js';
import type { Row } from '../../row.js';
import { at, get, Town } from '../../town.js';
import { Sender } from '../sender.js';
import { signedAhead } from '../signed-ahead.js';
import { storeKnown } from './known.js';

const STATUSES = 5;
const PEOPLE = 120;
const AUTHORS = 20;
const IN_FLIGHT = 32;
const COUNT = 1_000;
const WARM_UP = 3_000;
const ROUNDS = 5;
/** Remote accounts of the server to which the others are compared. */
const FEW = 1_000;
/** Remote accounts of the other server, which grows. REMOTE_ACCOUNTS=1000000 measures the whole size. */
const POINTS = [20_000, Number(process.env.REMOTE_ACCOUNTS ?? 200_000)] as const;
/** Remote accounts for which the aims are. */
const WHOLE = 1_000_000;
const [MORE_MIB_MAX, TIMES_MAX] = [200, 1.3];

/**
 * Measures a server that knows many remote accounts with five statuses each, in turn with one that knows 1,000: CPU of
 * an operation, and resident memory after the same operations. Accounts and statuses are stored by the code of any node
 * (known.ts), without the requests to their server. Both servers start anew before each measurement. Storing takes
 * minutes with the data on a tmpfs (TMPDIR), hours on a busy disk; neither figure depends on the disk.
 */
export async function benchRemoteGrowth(): Promise<Row[]> {
  const peer = await Peer.open();
  const key = newKey();
  const instances: Instance[] = [];
  try {
    for (let index = 0; index < 2; index++) instances.push(await Instance.open(peer, key));
    const [few, many] = instances as [Instance, Instance];
    await few.store(FEW);
    const rows: Row[] = [];
    const more: number[] = [];
    for (const count of POINTS) {
      const seconds = await many.store(count);
      await few.restart();
      const measured = await measureInTurn([few, many].map((one) => one.mix()));
      const ratios = (measured[1]?.cpus ?? []).map((cpu, round) => cpu / (measured[0]?.cpus[round] ?? Number.NaN));
      ratios.sort((a, b) => a - b);
      const times = ratios[Math.floor(ROUNDS / 2)] ?? Number.NaN;
      const extra = many.ownMib - few.ownMib;
      more.push(extra);
      rows.push(...measured.map(({ row }) => row), {
        name: `${count} remote accounts, ${count * STATUSES} statuses, stored in ${seconds.toFixed(0)} s; beside ${FEW}`,
        figure: `${times.toFixed(2)} times the CPU (${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)})`,
        ...{ target: `≤ ${TIMES_MAX}`, reached: times <= TIMES_MAX },
      });
      const files = `pages of the store's file: ${few.fileMib.toFixed(0)} and ${many.fileMib.toFixed(0)} MiB`;
      rows.push({
        name: `resident without the store's file, ${count} remote accounts, more than with ${FEW} (${files})`,
        figure: `${extra.toFixed(0)} MiB (${many.ownMib.toFixed(0)} and ${few.ownMib.toFixed(0)})`,
        ...{ target: `≤ ${MORE_MIB_MAX} MiB`, reached: extra <= MORE_MIB_MAX },
      });
    }
    return POINTS[1] >= WHOLE ? rows : [...rows, extrapolated(more)];
  } finally {
    for (const instance of instances) await instance.dispose();
    await peer.close();
  }
}

/** Extends the line through the first and the last point to the whole size. */
function extrapolated(more: readonly number[]): Row {
  const [first, last] = POINTS;
  const slope = ((more.at(-1) ?? 0) - (more[0] ?? 0)) / (last - first);
  const mib = (more.at(-1) ?? 0) + slope * (WHOLE - last);
  return { name: `the same for ${WHOLE} remote accounts, by the slope`, figure: `${mib.toFixed(0)} MiB` };
}

/** A server that knows people `k0`, `k1` and so on of the peer. */
class Instance {
  #known = 0;
  #posts = 0;
  /** Addresses of local statuses. */
  readonly #statuses: string[] = [];

  private constructor(
    private readonly server: ServerProcess,
    private readonly people: readonly Made[],
    private readonly peer: Peer,
    private readonly key: PeerKey,
  ) {}

  static async open(peer: Peer, key: PeerKey): Promise<Instance> {
    const server = await startServer({ FEDERATION_ALLOW_CIDRS: 'loopback' });
    const instance = new Instance(server, await createAccounts(server, PEOPLE), peer, key);
    const town = instance.#town();
    await town.followAll();
    await town.each('post', AUTHORS * 20, (index) => town.post(at(town.authors, index), `number ${index}`));
    for (const id of town.newest) {
      instance.#statuses.push(`${server.url}/users/${town.authorOf(id)?.username}/statuses/${id}`);
    }
    await town.target.settled();
    return instance;
  }

  /** Resident memory without the pages of files, and these pages. */
  get ownMib(): number {
    return residentMib(this.server.pid) - this.fileMib;
  }
  get fileMib(): number {
    return residentFileMib(this.server.pid);
  }

  /** Stores people until so many are known; returns the seconds that it took. The server starts anew. */
  async store(count: number): Promise<number> {
    const theirs = { origin: this.peer.url, publicKeyPem: this.key.publicKeyPem };
    const seconds = await storeKnown(this.server, { ...theirs, from: this.#known, to: count, statuses: STATUSES });
    this.#known = count;
    return seconds;
  }

  async restart(): Promise<void> {
    await this.server.stop();
    await this.server.restart();
  }

  /** A third homes, a fifth look-ups of remote accounts, a fifth Likes and a fifth Creates of others, posts. */
  mix(): { readonly target: Town['target']; readonly load: Load } {
    const town = this.#town();
    const random = new Xorshift(this.#known);
    const sender = new Sender(this.server.url);
    const call = (index: number): Call => {
      const [chance, name] = [random.below(10), `k${random.below(this.#known)}`];
      const me = at(this.people, random.below(PEOPLE));
      if (chance < 3) return get('/api/v1/timelines/home', me, Array.isArray);
      if (chance < 5) {
        const path = `/api/v1/accounts/lookup?acct=${name}@${this.peer.host}`;
        return get(path, me, ({ username }) => username === name);
      }
      if (chance < 6) return town.post(me, `mixed ${this.#posts++}`);
      const actor = this.peer.actor(name, {}, this.key);
      if (chance < 8) return sender.signed(actor, 'Like', at(this.#statuses, random.below(AUTHORS * 20)));
      const href = `${this.server.url}/users/${me.username}`;
      const tag = [{ type: 'Mention', href, name: `@${me.username}` }];
      return sender.signed(actor, 'Create', actor.note(`<p>Hello, number ${index}</p>`, { tag }));
    };
    const load = signedAhead({
      ...{ count: COUNT, warmUp: WARM_UP, rounds: ROUNDS, inFlight: IN_FLIGHT, writes: true, call },
      name: `mix of local requests and activities of others, ${this.#known} remote accounts`,
    });
    return { target: town.target, load };
  }

  #town(): Town {
    return Town.onServer(this.server, this.people, AUTHORS);
  }

  dispose(): Promise<void> {
    return this.server.dispose();
  }
}
