import { until } from '../../test/kit/time/until.js';
import type { Made } from '../accounts.js';
import { Xorshift } from '../graph.js';
import { drive } from '../http-load.js';
import type { Row } from '../row.js';
import { write } from '../town.js';
import { Crowd } from './crowd.js';
import { expectedDeliveries, measureRound, type Posted, type Round, rounds, roundsRow } from './crowd-rounds.js';

const ACCOUNTS = 100_000;
const AVERAGE_FAN_OUT = 403;
const AUTHORS = 10_000;
const WARM_UP = 4_000;
const POSTS = 8_000;
const ROUNDS = 3;
const IN_FLIGHT = 64;
const DELIVERY_MS_MAX = 60_000;

/**
 * Measures the same graph with full rings as `deliveries`; posts enter as clients send them: over HTTP, each with its
 * token.
 */
export async function benchHttpDeliveries(): Promise<Row[]> {
  const crowd = await Crowd.open(ACCOUNTS, AVERAGE_FAN_OUT);
  try {
    const random = new Xorshift(2);
    const authors = Array.from({ length: AUTHORS }, () => random.below(ACCOUNTS));
    const posted: Posted = [];
    await round(crowd, authors, WARM_UP, posted);
    const measured = await rounds(ROUNDS, () => round(crowd, authors, POSTS, posted));
    await crowd.assertHomes(posted);
    return [roundsRow(`deliveries over HTTP: 100,000 accounts, ${IN_FLIGHT} in flight`, POSTS, measured)];
  } finally {
    await crowd.close();
  }
}

/** From the first request to the last delivery. */
const round = (crowd: Crowd, authors: readonly number[], count: number, posted: Posted): Promise<Round> =>
  measureRound(crowd, posted, count, async () => {
    const arrived = async () => (await crowd.ask('figures', {})).deliveries;
    const [before, startedMs, from] = [await arrived(), performance.now(), posted.length];
    const call = (index: number) => {
      const author = authors[index % authors.length] as number;
      const text = `post ${index}: the quick brown fox jumps over the lazy dog, and it does so once more for good measure`;
      return write(crowd.accounts[author] as Made, '/api/v1/statuses', { status: text }, ({ id, content }) => {
        posted.push([author, id]);
        return content === `<p>${text}</p>`;
      });
    };
    const times = await drive(crowd.target, { name: 'post', inFlight: IN_FLIGHT, call }, from, from + count);
    const expected = expectedDeliveries(crowd, posted.slice(from));
    const all = async () => (await arrived()) - before >= expected || undefined;
    await until('all deliveries', all, DELIVERY_MS_MAX);
    return { seconds: (performance.now() - startedMs) / 1_000, deliveries: (await arrived()) - before, times };
  });
