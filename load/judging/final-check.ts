import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, NoAnswer } from '../clients/client.js';
import { inParallel } from '../clients/in-parallel.js';
import { statusesIn } from '../clients/json.js';
import { type Patience, Refused, retried } from '../clients/retry.js';
import type { Crowd } from '../crowd.js';
import type { ObservedPost, Observer } from './observer.js';
import type { SeenPosts } from './seen-posts.js';
import { type Findings, judgeTimeline, missingFrom, type Sighting } from './verdicts.js';

/** The largest page of these servers. */
const PAGE = 40;
/** Number of pages of a home that are read: Mastodon keeps 400 entries, others more. */
const HOME_PAGES_MAX = 20;
/** Number of pages of an account's own statuses that are read. */
const OWN_PAGES_MAX = 2_500;
/** Timelines read at a time. */
const READ_AT_A_TIME = 4;
/** A home with fewer entries was not truncated by the server: it is complete. Mastodon truncates at 400. */
const CUT_OFF_MIN = 400;
const CLOCK_SLACK_MS = 60_000;
/** Interval of reads while posts are missing. */
const AGAIN_MS = 250;
/** Retry time for each page of a server that fails after the settling time. */
const AGAIN_MS_MAX = 3_000;
/** Timeout of all reads: a million posts are read in this time. */
const READ_MS_MAX = 10 * 60_000;
/** Timeout of the reads after an interrupted run: the user still wants the result, but soon. */
const INTERRUPTED_MS_MAX = 10_000;
/** Number of consecutive failed places after which the server counts as gone. */
const SILENT_MAX = 8;
const NEVER = new AbortController().signal;

export interface FinalCheck {
  readonly client: Client;
  readonly crowd: Crowd;
  readonly witness: Observer;
  readonly sightings: SeenPosts;
  readonly findings: Findings;
  /** The server's wall clock before the run; NaN if unknown: then everything is read. */
  readonly startedAtMs: number;
  readonly settleMs: number;
  /**
   * True when the run was interrupted: reading is bounded, but missing posts are waited for, or they would wrongly
   * count as lost.
   */
  readonly interrupted: boolean;
  /** Ends the waiting, unless it ended the run. */
  readonly signal: AbortSignal;
}

export interface Looked {
  /** Numbers of authors whose statuses, and users whose homes, were read to the end. */
  readonly authors: number;
  readonly homes: number;
  /** Places that could not be read, with reasons. */
  readonly unread: readonly string[];
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly token: string;
  readonly pagesMax: number;
  readonly expected: readonly ObservedPost[];
}

/**
 * Reads every author's own statuses and some homes after the run. Repeats until everything is found or the time is up.
 */
export async function checkAtTheEnd(aftermath: FinalCheck, homes: readonly number[]): Promise<Looked> {
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
    const expected = crowd.sourcesOf(number).flatMap(acknowledged);
    const path = '/api/v1/timelines/home';
    return [{ name: `home of ${user.username}`, path, token: user.token, pagesMax: HOME_PAGES_MAX, expected }];
  });
  const nowMs = performance.now();
  const looking: Looking = {
    ...aftermath,
    untilMs: nowMs + aftermath.settleMs,
    endMs: nowMs + aftermath.settleMs + READ_MS_MAX,
  };
  const bound = () => {
    looking.endMs = Math.min(looking.endMs, looking.untilMs + INTERRUPTED_MS_MAX);
  };
  const hurry = () => {
    looking.untilMs = Math.min(looking.untilMs, performance.now());
    bound();
  };
  if (aftermath.interrupted) bound();
  else if (aftermath.signal.aborted) hurry();
  else aftermath.signal.addEventListener('abort', hurry, { once: true });
  const unread: string[] = [];
  let [silent, unasked] = [0, 0];
  await inParallel([...own, ...others], READ_AT_A_TIME, async (place) => {
    if (silent >= SILENT_MAX || performance.now() > looking.endMs) {
      unasked += 1;
      return;
    }
    const problem = await look(looking, place);
    silent = problem === undefined || problem instanceof Refused ? 0 : silent + 1;
    if (problem !== undefined) unread.push(`${place.name}: ${problem.message}`);
  });
  if (unasked > 0) unread.push(`${unasked} more: not read, because the server no longer answers, or too late`);
  return { authors: own.length, homes: others.length, unread };
}

interface Looking extends FinalCheck {
  /** Missing posts are searched again until this time. */
  untilMs: number;
  /** Nothing is read after this time. */
  endMs: number;
}

/** Reads a place. @returns why it could not be read */
async function look(looking: Looking, place: Place): Promise<NoAnswer | undefined> {
  for (;;) {
    const read = await readTimeline(looking, place).catch((error: unknown) => {
      if (error instanceof NoAnswer) return error;
      throw error;
    });
    const over = performance.now() >= looking.untilMs;
    if (read instanceof NoAnswer) {
      if (over) return read;
    } else {
      const missing = missingFrom(place.expected, read.seen, read.toItsEnd);
      if (missing.length === 0 || over) {
        judgeTimeline(place.name, read.seen, looking.findings);
        for (const { marker, id } of missing) {
          const detail = `was acknowledged as ${id} and is missing`;
          looking.findings.add({ verdict: 'lost', place: place.name, post: marker, detail });
        }
        return undefined;
      }
    }
    await sleep(AGAIN_MS);
  }
}

async function readTimeline(
  looking: Looking,
  { path, token, pagesMax }: Place,
): Promise<{ readonly seen: readonly Sighting[]; readonly toItsEnd: boolean }> {
  const { client, sightings, startedAtMs } = looking;
  const seen: Sighting[] = [];
  let entries = 0;
  let before: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const latestMs = Math.max(looking.untilMs, performance.now() + AGAIN_MS_MAX);
    const patience: Patience = { untilMs: Math.min(looking.endMs, latestMs), signal: NEVER };
    const older = before === undefined ? '' : `&max_id=${encodeURIComponent(before)}`;
    const ask = { method: 'GET', path: `${path}?limit=${PAGE}${older}`, token } as const;
    const { text } = await retried(client, ask, patience);
    const statuses = statusesIn(text);
    seen.push(...sightings.in(statuses));
    entries += statuses.length;
    const last = statuses.at(-1);
    // A server whose max_id is inclusive ends with that status alone.
    const ended = last === undefined || (last.id === before && statuses.length === 1);
    if (ended) return { seen, toItsEnd: path !== '/api/v1/timelines/home' || entries < CUT_OFF_MIN };
    if (Date.parse(last.created_at) < startedAtMs - CLOCK_SLACK_MS) return { seen, toItsEnd: true };
    if (last.id === before) throw new NoAnswer('the same page again: the server ignores max_id');
    if (performance.now() > looking.endMs) throw new NoAnswer('not read to its end in time');
    before = last.id;
  }
  return { seen, toItsEnd: false };
}
