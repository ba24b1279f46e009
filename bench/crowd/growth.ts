import { createAccounts, type Made } from '../accounts.js';
import { followersOf, makeGraph, transposed, Xorshift } from '../graph.js';
import { type Call, type Load, measure, measureInTurn } from '../http-load.js';
import { startServer } from '../measured-server.js';
import type { Row } from '../row.js';
import { at, get, type Status, Town, write } from '../town.js';

const FEW = 1_000;
const GROWTH = 10;
const RATIO_MAX = 1.3;
const AVERAGE_FAN_OUT = 10;
const IN_FLIGHT = 32;
const OPERATIONS = 4_000;
/** Warm-up calls: V8 compiles for as long. */
const WARM_UP = 8_000;
const ROUNDS = 5;
const SAMPLED = 3;
const SEED = 10;

/**
 * Runs the same mix, by anybody, with few accounts and with ten times as many, who each have as many followers. Every
 * home has its ring before the measurement. With ten times the accounts another share of the actors is in memory:
 * accounts and their first statuses are 20,000 actors, as many as a node keeps (ACTIVATIONS_MAX), so that each new post
 * makes an older conversation leave, and a favourite of that one recovers it from the journal.
 */
export async function benchGrowth(): Promise<Row[]> {
  const instances: Instance[] = [];
  try {
    instances.push(await instanceOf(FEW));
    instances.push(await instanceOf(FEW * GROWTH));
    const [few, many] = await measureInTurn(instances.map(({ town, mix }) => ({ target: town.target, load: mix })));
    for (const { assertHomes } of instances) await assertHomes();
    if (few === undefined || many === undefined) throw new Error('one of the two was not measured');
    // Compared round by round: the two loads of a round were measured within seconds.
    const ratios = many.cpus.map((cpu, round) => cpu / (few.cpus[round] ?? Number.NaN)).sort((a, b) => a - b);
    const ratio = ratios[Math.floor(ratios.length / 2)] ?? Number.NaN;
    const verdict: Row = {
      name: `CPU an operation with ${GROWTH} times the accounts, ${ROUNDS} rounds in turn`,
      figure: `${ratio.toFixed(2)} times (${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)})`,
      target: `≤ ${RATIO_MAX}`,
      reached: ratio <= RATIO_MAX,
    };
    return [...instances.map(({ follows }) => follows), few.row, many.row, verdict];
  } finally {
    for (const { town } of instances) await town.dispose();
  }
}

interface Instance {
  readonly town: Town;
  /** Cost of its follows. */
  readonly follows: Row;
  readonly mix: Load;
  readonly assertHomes: () => Promise<void>;
}

async function instanceOf(accounts: number): Promise<Instance> {
  const server = await startServer();
  try {
    const people = await createAccounts(server, accounts);
    const graph = makeGraph({ accounts, averageFanOut: AVERAGE_FAN_OUT, seed: SEED });
    const town = Town.onServer(server, people, accounts);
    const { target } = town;
    const follow = edges(people, graph.offsets, graph.followers);
    const name = `follow, ${accounts} accounts`;
    const follows = await measure(target, { ...follow, name, inFlight: IN_FLIGHT, warmUp: 0, writes: true });
    await town.each('post', accounts, (index) => town.post(at(people, index), `first of ${index}`));
    await town.each('home', accounts, (index) => get('/api/v1/timelines/home', at(people, index), Array.isArray));
    const mix: Load = {
      name: `mix (half homes, a tenth posts, favourites and single statuses), ${accounts} accounts`,
      count: OPERATIONS,
      rounds: ROUNDS,
      warmUp: WARM_UP,
      inFlight: IN_FLIGHT,
      writes: true,
      call: mixed(town, people),
    };
    const followed = transposed(graph);
    const assertHomes = async () => {
      for (let sample = 0; sample < SAMPLED; sample++) {
        const reader = Math.floor((accounts / SAMPLED) * sample);
        const heard = [reader, ...followersOf(followed, reader)].map((author) => at(people, author));
        await town.assertHome(at(people, reader), heard);
      }
    };
    return { town, follows, mix, assertHomes };
  } catch (error) {
    await server.dispose();
    throw error;
  }
}

/** Yields every follow of the graph, in no order of authors, as in reality. */
function edges(
  people: readonly Made[],
  offsets: Uint32Array,
  followers: Uint32Array,
): Pick<Load, 'call'> & { count: number } {
  const authors = new Uint32Array(followers.length);
  for (let author = 0; author < people.length; author++) authors.fill(author, offsets[author], offsets[author + 1]);
  const count = followers.length;
  // A step without a common divisor with the count visits each edge once.
  let step = Math.floor(count * 0.618);
  while (divisor(step, count) > 1) step++;
  const call = (index: number): Call => {
    const edge = (index * step) % count;
    const [author, follower] = [at(people, authors[edge] as number), at(people, followers[edge] as number)];
    return write(follower, `/api/v1/accounts/${author.id}/follow`, {}, ({ following }) => following === true);
  };
  return { call, count };
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

function mixed(town: Town, people: readonly Made[]): (index: number) => Call {
  const random = new Xorshift(SEED);
  const known = town.newest;
  return (index) => {
    const who = at(people, random.below(people.length));
    const chance = random.below(10);
    if (chance < 5) {
      // Everybody has posted, so no home is empty: an empty page would be cheap.
      return get('/api/v1/timelines/home', who, (page: Status[]) => {
        const inOrder = ({ id }: Status, position: number) => position === 0 || (page[position - 1]?.id ?? '') > id;
        return page.length > 0 && page.every(inOrder);
      });
    }
    if (chance < 6) return town.post(who, `mixed ${index}`);
    const id = at(known, random.below(known.length));
    const right = (answer: Status) => answer.id === id;
    if (chance < 8) return get(`/api/v1/statuses/${id}`, who, right);
    return write(who, `/api/v1/statuses/${id}/favourite`, {}, (answer) => right(answer) && answer.favourited);
  };
}
