import assert from 'node:assert/strict';
import { newKey, Peer } from '../../test/kit/federation/peer.js';
import type { Made } from '../accounts.js';
import { followActors } from '../federation/follows.js';
import { noteOf } from '../federation/notes.js';
import { Sender } from '../federation/sender.js';
import { signedAhead } from '../federation/signed-ahead.js';
import { type Load, type Measured, measureInTurn } from '../http-load.js';
import type { Row } from '../row.js';
import { at, Town, write } from '../town.js';
import { Crowd } from './crowd.js';

const ACCOUNTS = 12_000;
const AVERAGE_FAN_OUT = 20;
/** Rings that receive each post. The first account follows all authors. */
const POINTS = [1, 100, 1_000, 10_000] as const;
/** Authors of each kind at each point. */
const AUTHORS = 8;
const IN_FLIGHT = 32;
const COUNT = 600;
const WARM_UP = 1_000;
const ROUNDS = 5;
const [EXTRA_MS_MAX, SLOPE_TIMES_MAX] = [0.2, 1.3];

/**
 * Measures signed Creates whose authors have a number of rings here, in turn with posts of local authors over HTTP who
 * have as many. The rings are full, as those of `deliveries`. One local person follows each remote author; the other
 * rings get the author directly, for both kinds.
 */
export async function benchRemoteDeliveries(): Promise<Row[]> {
  const peer = await Peer.open();
  const crowd = await Crowd.open(ACCOUNTS, AVERAGE_FAN_OUT);
  try {
    const sender = new Sender(crowd.target.urls[0] ?? '');
    const account = (number: number) => crowd.accounts[number] as Made;
    const town = Town.on(crowd.target, [], 0, async () => undefined);
    const key = newKey();
    const loads: Load[] = [];
    for (const [point, rings] of POINTS.entries()) {
      const locals = crowd.lonely.slice(point * AUTHORS, (point + 1) * AUTHORS).map(account);
      const actors = Array.from({ length: AUTHORS }, (_, index) => peer.actor(`p${point}x${index}`, {}, key));
      const remotes = await followActors(town, peer, actors, [account(0)]);
      for (const author of [...locals.map(({ id }) => id), ...remotes]) await crowd.ask('attach', { author, rings });
      const usual = { count: COUNT, warmUp: WARM_UP, rounds: ROUNDS, inFlight: IN_FLIGHT, writes: true };
      const textOf = (index: number) =>
        `number ${index}: the quick brown fox jumps over the lazy dog, and it does so once more for good measure`;
      const right = ({ content }: { content: string }) => content.startsWith('<p>number');
      loads.push(
        {
          ...delivered(crowd, rings),
          ...{ ...usual, name: `local post over HTTP, ${rings} rings` },
          call: (index) => write(at(locals, index), '/api/v1/statuses', { status: textOf(index) }, right),
        },
        signedAhead({
          ...delivered(crowd, rings),
          ...{ ...usual, name: `signed Create, ${rings} rings` },
          call: (index) => sender.signed(at(actors, index), 'Create', noteOf(at(actors, index), `number ${index}`)),
        }),
      );
    }
    const measured = await measureInTurn(loads.map((load) => ({ target: crowd.target, load })));
    return [...measured.map(({ row }) => row), ...compared(measured)];
  } finally {
    await crowd.close();
    await peer.close();
  }
}

/** Checks after each round that each post has reached each ring. */
function delivered(crowd: Crowd, rings: number): Pick<Load, 'before' | 'after'> {
  const now = async () => (await crowd.ask('figures', {})).deliveries;
  let from = 0;
  return {
    before: async () => {
      from = await now();
    },
    after: async () => assert.equal((await now()) - from, COUNT * rings, 'each post reached each ring'),
  };
}

/** Compares the two kinds round by round: as measured within seconds of each other. */
function compared(measured: readonly Measured[]): Row[] {
  const cpu = (point: number, kind: number, round: number) => measured[point * 2 + kind]?.cpus[round] ?? Number.NaN;
  const last = POINTS.length - 1;
  const rings = (POINTS[last] ?? 0) - POINTS[0];
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
  const extra = medianOf(rounds.map((round) => cpu(0, 1, round) - cpu(0, 0, round)));
  const slopes = [0, 1].map((kind) =>
    medianOf(rounds.map((round) => ((cpu(last, kind, round) - cpu(0, kind, round)) / 1_000 / rings) * 1e9)),
  );
  const [local = Number.NaN, remote = Number.NaN] = slopes;
  return [
    {
      name: 'a signed Create with one ring, more than a local post',
      figure: `${extra.toFixed(3)} CPU-ms`,
      ...{ target: `≤ ${EXTRA_MS_MAX} ms`, reached: extra <= EXTRA_MS_MAX },
    },
    {
      name: 'one more ring, by the slope: local, remote',
      figure: `${local.toFixed(0)} ns, ${remote.toFixed(0)} ns`,
      ...{ target: `≤ ${SLOPE_TIMES_MAX} × local`, reached: remote <= local * SLOPE_TIMES_MAX },
    },
  ];
}

const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
