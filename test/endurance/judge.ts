import { isProblem } from '../../actors/domain/problem.js';
import { sinceOf } from '../../gateway/streaming/position.js';
import type { EventStream } from '../kit/network/event-stream.js';
import { allStatuses } from '../kit/network/posting-load.js';
import { until } from '../kit/time/until.js';
import type { Person } from '../scenarios/cluster/people.js';
import type { Ledger, LedgerPost } from './ledger.js';
import { ask } from './requests.js';

const PAGES_MAX = 2_000;
/** Timeout of settling: effects that met a fault are retried with growing pauses of up to half a minute. */
const SETTLE_MS_MAX = 120_000;
/** Maximum number of statuses whose favourites are counted: each costs a request and a page. */
const MARKED_MAX = 400;
/** Number of posts that came twice that are reported: the times of their ids show which fault repeated them. */
const NAMED_MAX = 5;

/** Compares one node's answers with the ledger, and waits a bounded time for pending effects. */
export async function judge(url: string, people: readonly Person[], reader: Person, ledger: Ledger): Promise<string[]> {
  let faults: string[] = [];
  const look = async () => {
    faults = [
      ...(await statusFaults(url, people, reader, ledger)),
      ...(await favouriteFaults(url, people, reader, ledger)),
      ...(await followFaults(url, people, ledger)),
      ...(await tokenFaults(url, ledger)),
    ];
    return faults.length === 0;
  };
  await until('the server shows what it acknowledged', look, SETTLE_MS_MAX).catch((error: Error) => {
    if (faults.length === 0) faults = [error.message];
  });
  return faults.map((fault) => `${url}: ${fault}`);
}

async function statusFaults(url: string, people: readonly Person[], reader: Person, ledger: Ledger): Promise<string[]> {
  const faults: string[] = [];
  const home = await allStatuses(url, '/api/v1/timelines/home', reader.token, PAGES_MAX);
  for (const person of people) {
    const wanted = ledger.postsOf(person).filter(({ deleted }) => !deleted);
    const expected = wanted.map((post) => `${post.id} ${ledger.textOf(post)}`).reverse();
    const own = await allStatuses(url, `/api/v1/accounts/${person.id}/statuses`, reader.token, PAGES_MAX);
    faults.push(...differences(`statuses of ${person.name}`, expected, own));
    const theirs = home.filter(({ account }) => account === person.id);
    faults.push(...differences(`home: ${person.name}`, expected, theirs));
    const account = await read(url, reader, `/api/v1/accounts/${person.id}`);
    if (account.statuses_count !== wanted.length)
      faults.push(`${person.name} counts ${account.statuses_count} statuses, has ${wanted.length}`);
  }
  return faults;
}

/** Compares lists, newest first, and reports lost, unexpected and misplaced entries. */
export function differences(
  list: string,
  expected: readonly string[],
  shown: readonly { readonly id: string; readonly text: string }[],
): string[] {
  const got = shown.map(({ id, text }) => `${id} ${text}`);
  const gotSet = new Set(got);
  const expectedSet = new Set(expected);
  const faults = [
    ...expected.filter((line) => !gotSet.has(line)).map((line) => `${list}: lost: ${line}`),
    ...got.filter((line) => !expectedSet.has(line)).map((line) => `${list}: not expected: ${line}`),
  ];
  if (gotSet.size !== got.length) faults.push(`${list}: ${got.length - gotSet.size} come twice`);
  if (faults.length === 0 && got.some((line, index) => line !== expected[index])) faults.push(`${list}: out of order`);
  return faults;
}

async function favouriteFaults(
  url: string,
  people: readonly Person[],
  reader: Person,
  ledger: Ledger,
): Promise<string[]> {
  const faults: string[] = [];
  const marks = [...ledger.favourites].map((mark) => mark.split(' ') as [string, string]);
  const marked = new Set(marks.map(([, status]) => status));
  const live = ledger.posts.filter(({ id, deleted }) => marked.has(id) && !deleted).slice(-MARKED_MAX);
  for (const post of live) {
    const expected = people.map(({ id }) => id).filter((id) => ledger.favourites.has(`${id} ${post.id}`));
    const status = await read(url, reader, `/api/v1/statuses/${post.id}`);
    const by = (await read(url, reader, `/api/v1/statuses/${post.id}/favourited_by?limit=80`)) as unknown as {
      id: string;
    }[];
    const got = by.map(({ id }) => id).sort();
    if (status.favourites_count !== expected.length)
      faults.push(`${post.id} counts ${status.favourites_count} favourites, has ${expected.length}`);
    if (got.join() !== [...expected].sort().join()) faults.push(`${post.id} is favourited by ${got}, not ${expected}`);
  }
  return faults;
}

async function followFaults(url: string, people: readonly Person[], ledger: Ledger): Promise<string[]> {
  const faults: string[] = [];
  for (const person of people) {
    const query = people.map(({ id }) => `id[]=${id}`).join('&');
    const relations = (await read(url, person, `/api/v1/accounts/relationships?${query}`)) as unknown as {
      id: string;
      following: boolean;
    }[];
    for (const { id, following } of relations) {
      const expected = ledger.follows.has(`${person.id} ${id}`);
      if (following !== expected) faults.push(`${person.name} following ${id}: ${following}, not ${expected}`);
    }
    const followers = [...ledger.follows].filter((edge) => edge.endsWith(` ${person.id}`)).length;
    const account = await read(url, person, `/api/v1/accounts/${person.id}`);
    if (account.followers_count !== followers)
      faults.push(`${person.name} counts ${account.followers_count} followers, has ${followers}`);
  }
  return faults;
}

async function tokenFaults(url: string, ledger: Ledger): Promise<string[]> {
  const faults: string[] = [];
  const path = '/api/v1/accounts/verify_credentials';
  for (const [tokens, status] of [
    [ledger.revokedTokens, 401],
    [ledger.validTokens, 200],
  ] as const) {
    for (const token of tokens) {
      const answer = await ask(url, { method: 'GET', path, token });
      if (answer?.status !== status) faults.push(`a token is answered ${answer?.status}, not ${status}`);
    }
  }
  return faults;
}

/** Checks that every acknowledged post was streamed once, and each author's posts in order. */
export async function streamFaults(
  stream: Pick<EventStream, 'updates' | 'resumedBefore'>,
  ledger: Ledger,
): Promise<string[]> {
  const wanted = ledger.posts.map(({ id }) => id);
  const all = () => {
    const updates = new Set(stream.updates());
    return wanted.every((id) => updates.has(id));
  };
  // A deleted post may be gone before a disconnected stream resumes.
  await until('every acknowledged post on the stream', all, 30_000).catch(() => undefined);
  const updates = stream.updates();
  const seen = new Set<string>();
  const again = updates.filter((id) => seen.size === seen.add(id).size);
  const faults = ledger.posts
    .filter(({ id, deleted }) => !deleted && !seen.has(id))
    .map(({ id, at }) => `stream: lost: ${id}, acknowledged at ${at}`);
  if (again.length > 0) {
    const named = again.slice(0, NAMED_MAX).map((id) => `${id} ${resumedAt(stream.resumedBefore(id))}`);
    faults.push(`stream: ${again.length} posts came twice: ${named.join(', ')}`);
  }
  const place = new Map([...seen].map((id, index) => [id, index]));
  const last = new Map<string, LedgerPost>();
  for (const post of ledger.posts) {
    const { author, id, at } = post;
    const earlier = last.get(author);
    if (!place.has(id)) continue;
    if (earlier !== undefined && (place.get(id) ?? 0) < (place.get(earlier.id) ?? 0))
      faults.push(
        `stream: out of order: ${id}, acknowledged at ${at}, came before ${earlier.id}, acknowledged at ${earlier.at}`,
      );
    last.set(author, post);
  }
  return faults;
}

/** Describes a position. One that names as many late statuses as it can has no place for others (ADR 7). */
function resumedAt(position: string | undefined): string {
  const since = sinceOf(position);
  if (since === undefined || isProblem(since)) return 'from the beginning';
  const { floor, sent, late = [] } = since;
  return `after ${floor}, ${sent.length} above it and ${late.length} late ones`;
}

async function read(url: string, person: Person, path: string): Promise<Record<string, unknown>> {
  const answer = await ask(url, { method: 'GET', path, token: person.token });
  if (answer?.status !== 200) throw new Error(`${path}: ${answer?.status} ${answer?.body.slice(0, 200)}`);
  return JSON.parse(answer.body) as Record<string, unknown>;
}
