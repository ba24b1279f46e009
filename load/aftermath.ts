import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.js';
import type { Crowd } from './crowd.js';
import { inParallel } from './in-parallel.js';
import { insist } from './insist.js';
import type { Sightings, StatusJson } from './sightings.js';
import { type Findings, judgeTimeline, missingFrom, type Sighting } from './verdicts.js';
import type { Witness, Witnessed } from './witness.js';

/** The most that servers answer in one page. */
const PAGE = 40;
/** How far back homes are read: Mastodon keeps 400 entries, others more. */
const HOME_PAGES_MAX = 20;
/** How far back an account's own statuses are read. */
const OWN_PAGES_MAX = 2_500;
/** Timelines read at a time. */
const READ_AT_A_TIME = 4;
/** A home that ends sooner than this was not cut off by the server, but is all there is. Mastodon cuts at 400. */
const CUT_OFF_MIN = 400;
const CLOCK_SLACK_MS = 60_000;
/** Between two looks while posts are still missing. */
const AGAIN_MS = 250;

export interface Aftermath {
  readonly client: Client;
  readonly crowd: Crowd;
  readonly witness: Witness;
  readonly sightings: Sightings;
  readonly findings: Findings;
  /** The wall clock at the run's beginning. */
  readonly startedAtMs: number;
  readonly settleMs: number;
  readonly signal: AbortSignal;
}

export interface Looked {
  /** Authors whose statuses and users whose homes were read to the end. */
  readonly authors: number;
  readonly homes: number;
  /** Places that could not be read, and why. */
  readonly unread: readonly string[];
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly token: string;
  readonly pagesMax: number;
  readonly expected: readonly Witnessed[];
}

/** After the run: every author's own statuses, and so many homes. Looks again until all is there or the time is up. */
export async function lookAfterwards(aftermath: Aftermath, homes: readonly number[]): Promise<Looked> {
  const { crowd, witness } = aftermath;
  const acknowledged = (author: number) => witness.postsOf(author).filter((post) => post.acknowledgedMs !== undefined);
  const own: Place[] = witness.authors.flatMap((author) => {
    const user = crowd.users[author];
    if (user === undefined) return [];
    const path = `/api/v1/accounts/${user.id}/statuses`;
    const expected = acknowledged(author);
    return [{ name: `statuses of ${user.username}`, path, token: user.token, pagesMax: OWN_PAGES_MAX, expected }];
  });
  const others: Place[] = homes.flatMap((number) => {
    const user = crowd.users[number];
    if (user === undefined) return [];
    const expected = crowd.followeesOf(number).flatMap(acknowledged);
    const path = '/api/v1/timelines/home';
    return [{ name: `home of ${user.username}`, path, token: user.token, pagesMax: HOME_PAGES_MAX, expected }];
  });
  const untilMs = performance.now() + aftermath.settleMs;
  const unread: string[] = [];
  await inParallel([...own, ...others], READ_AT_A_TIME, async (place) => {
    const problem = await look(aftermath, place, untilMs);
    if (problem !== undefined) unread.push(`${place.name}: ${problem}`);
  });
  return { authors: own.length, homes: others.length, unread };
}

/** @returns why it could not be read */
async function look(aftermath: Aftermath, place: Place, untilMs: number): Promise<string | undefined> {
  for (;;) {
    const read = await readTimeline(aftermath, place).catch((error: Error) => error);
    const over = performance.now() >= untilMs || aftermath.signal.aborted;
    if (read instanceof Error) {
      if (over) return read.message;
    } else {
      const missing = missingFrom(place.expected, read.seen, read.toItsEnd);
      if (missing.length === 0 || over) {
        judgeTimeline(place.name, read.seen, aftermath.findings);
        for (const { marker, id } of missing) {
          const detail = `was acknowledged as ${id} and is not there`;
          aftermath.findings.add({ verdict: 'lost', place: place.name, post: marker, detail });
        }
        return undefined;
      }
    }
    await sleep(AGAIN_MS);
  }
}

async function readTimeline(
  { client, sightings, startedAtMs }: Aftermath,
  { path, token, pagesMax }: Place,
): Promise<{ readonly seen: readonly Sighting[]; readonly toItsEnd: boolean }> {
  const seen: Sighting[] = [];
  let entries = 0;
  let before = '';
  for (let page = 0; page < pagesMax; page++) {
    const { text } = await insist(client, { method: 'GET', path: `${path}?limit=${PAGE}${before}`, token });
    const statuses = JSON.parse(text) as StatusJson[];
    seen.push(...sightings.in(statuses));
    entries += statuses.length;
    const last = statuses.at(-1);
    if (last === undefined) return { seen, toItsEnd: path !== '/api/v1/timelines/home' || entries < CUT_OFF_MIN };
    if (Date.parse(last.created_at) < startedAtMs - CLOCK_SLACK_MS) return { seen, toItsEnd: true };
    before = `&max_id=${encodeURIComponent(last.id)}`;
  }
  return { seen, toItsEnd: false };
}
