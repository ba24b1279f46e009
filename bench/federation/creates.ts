import assert from 'node:assert/strict';
import { newKey, Peer } from '../../test/kit/federation/peer.js';
import { type Call, type Load, measureInTurn } from '../http-load.js';
import type { Row } from '../row.js';
import { at, get, Town } from '../town.js';
import { followActors } from './follows.js';
import { noteOf } from './notes.js';
import { Sender } from './sender.js';
import { signedAhead } from './signed-ahead.js';

const IN_FLIGHT = 32;
const ROUNDS = 5;
const COUNT = 1_000;
/** V8 compiles for as long. */
const WARM_UP = 3_000;
const AUTHORS = 32;
const FOLLOWERS = 100;
/** Number of followers whose homes are read to the end afterwards. */
const SAMPLED = 2;
const CPU_MAX = 0.8;
const PER_SECOND_MIN = 1_500;

/**
 * Measures signed Creates of people whom 100 local people follow, in turn with posts of local people with the same
 * followers; all homes are in memory. The bench process signs before each round; only the server's CPU time counts.
 * The rate is that of both processes on the machine's cores.
 */
export async function benchCreates(): Promise<Row[]> {
  const peer = await Peer.open();
  const town = await Town.open(AUTHORS, FOLLOWERS, { settings: { FEDERATION_ALLOW_CIDRS: 'loopback' } });
  try {
    const key = newKey();
    const foreign = Array.from({ length: AUTHORS }, (_, index) => peer.actor(`p${index}`, {}, key));
    const sender = new Sender(town.target.urls[0] ?? '');
    await town.followAll();
    await followActors(town, peer, foreign, town.followers);
    await town.each('home', FOLLOWERS, (index) =>
      get('/api/v1/timelines/home', at(town.followers, index), Array.isArray),
    );
    const usual = { count: COUNT, warmUp: WARM_UP, rounds: ROUNDS, inFlight: IN_FLIGHT, writes: true };
    const sent: string[] = [];
    const create = (index: number): Call => {
      const actor = at(foreign, index);
      const note = noteOf(actor, `number ${index}`);
      sent.push(note.id);
      return sender.signed(actor, 'Create', note);
    };
    const loads: Load[] = [
      {
        ...usual,
        name: `local post, ${FOLLOWERS} followers, ${AUTHORS} authors`,
        call: (index) => town.post(at(town.authors, index), `number ${index}`),
      },
      signedAhead({
        ...usual,
        name: `signed Create, ${FOLLOWERS} local followers, ${AUTHORS} authors`,
        target: CPU_MAX,
        call: create,
      }),
    ];
    const measured = await measureInTurn(loads.map((load) => ({ target: town.target, load })));
    await assertArrived(town, sent);
    const perSecond = measured[1]?.row.perSecond ?? 0;
    return [
      ...measured.map(({ row }) => row),
      {
        name: 'signed Creates a second, bench process on the same cores',
        figure: `${perSecond.toFixed(0)}/s`,
        ...{ target: `≥ ${PER_SECOND_MIN}/s`, reached: perSecond >= PER_SECOND_MIN },
      },
    ];
  } finally {
    await town.dispose();
    await peer.close();
  }
}

/** Checks that homes contain each status of the peer once. @throws AssertionError */
async function assertArrived(town: Town, sent: readonly string[]): Promise<void> {
  const local = new Set(town.newest);
  for (const viewer of town.followers.slice(0, SAMPLED)) {
    const found = (await town.home(viewer)).filter(({ id }) => !local.has(id)).map(({ uri }) => uri);
    assert.deepEqual(found.sort(), [...sent].sort(), `the statuses of others in the home of ${viewer.username}`);
  }
}
