import assert from 'node:assert/strict';
import { ServerProcess } from '../test/kit/server-process.js';
import { createAccounts, type Made } from './accounts.js';
import { type Call, type Load, measure } from './http-load.js';
import type { Row } from './row.js';
import { streamLatency } from './streamed.js';

const FOLLOWEES = 20;
const FOLLOWERS = 100;
/** Statuses that are favourited, one after the other, by everybody. */
const FAVOURED = 12;
const PAGE = 20;
const VERIFY_CPU_MAX = 0.05;

/** The parts of a status that answers are judged by. */
interface Status {
  readonly id: string;
  readonly content: string;
  readonly visibility: string;
  readonly favourited: boolean;
  readonly favourites_count: number;
  readonly account: { readonly id: string };
}

/** `verify_credentials` alone, on a server of its own. */
export async function benchVerify(): Promise<Row[]> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'warn' });
  try {
    const [me] = (await createAccounts(server, 1)) as [Made];
    const load: Load = {
      name: 'verify_credentials',
      count: 10_000,
      rounds: 5,
      inFlight: 32,
      target: VERIFY_CPU_MAX,
      call: () =>
        get('/api/v1/accounts/verify_credentials', me, ({ id, username, source, role }) =>
          Boolean(id === me.id && username === me.username && source.privacy === 'public' && role.id),
        ),
    };
    return [await measure(server.url, server.pid, load)];
  } finally {
    await server.dispose();
  }
}

/** What clients do most, against one embedded server with everything durable. */
export async function benchHttp(): Promise<Row[]> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'warn' });
  try {
    const people = (await createAccounts(server, 2 + FOLLOWERS + FOLLOWEES)) as [Made, Made, ...Made[]];
    const [reader, star, ...others] = people;
    // Those whom nobody follows, until the row that says so is measured.
    const [followers, followees] = [others.slice(0, FOLLOWERS), others.slice(FOLLOWERS)];
    const post = (who: Made, text: string) => send(server.url, write(who, '/api/v1/statuses', { status: text }));
    const follow = (who: Made, whom: Made) =>
      send(
        server.url,
        write(who, `/api/v1/accounts/${whom.id}/follow`, {}, ({ following }) => following === true),
      );
    for (const follower of followers) await follow(follower, star);
    const rows: Row[] = [];
    const load = async (wanted: Load) => rows.push(await measure(server.url, server.pid, wanted));
    await load(posts('post, nobody follows', 2_000, 32, (index) => at(followees, index)));
    await load(posts(`post, ${FOLLOWERS} followers`, 1_000, 8, () => star));
    for (const followee of followees) await follow(reader, followee);
    const favoured: Status[] = [];
    for (let index = 0; index < FAVOURED; index++) favoured.push((await post(star, `favoured ${index}`)) as Status);
    await load(favourites(others, favoured));
    await load({
      name: `home page of ${PAGE}, ${FOLLOWEES} followed`,
      count: 500,
      inFlight: 32,
      call: () => get('/api/v1/timelines/home', reader, isPage(new Set([reader, ...followees].map(({ id }) => id)))),
    });
    await load({
      name: `public page of ${PAGE}`,
      count: 500,
      inFlight: 32,
      call: () => get('/api/v1/timelines/public', reader, isPage(undefined)),
    });
    const { id, content } = at(favoured, 0);
    await load({
      name: 'one status',
      count: 5_000,
      inFlight: 32,
      call: () => get(`/api/v1/statuses/${id}`, reader, (answer) => answer.id === id && answer.content === content),
    });
    rows.push(await streamLatency(server.url, at(followers, 0).token, (text) => post(star, text) as Promise<Status>));
    return rows;
  } finally {
    await server.dispose();
  }
}

function posts(name: string, count: number, inFlight: number, who: (index: number) => Made): Load {
  const call = (index: number) => {
    const author = who(index);
    const right = (answer: Status) =>
      answer.account.id === author.id && answer.content === `<p>number ${index}</p>` && answer.visibility === 'public';
    return write(author, '/api/v1/statuses', { status: `number ${index}` }, right);
  };
  return { name, count, inFlight, call };
}

/** Everybody favours one status, then the next: each call changes something. */
function favourites(people: readonly Made[], statuses: readonly Status[]): Load {
  const call = (index: number) => {
    const { id } = at(statuses, Math.floor(index / people.length));
    const right = (answer: Status) => answer.id === id && answer.favourited && answer.favourites_count > 0;
    return write(at(people, index), `/api/v1/statuses/${id}/favourite`, {}, right);
  };
  return { name: 'favourite', count: 1_000, inFlight: 8, call };
}

/** A full page, newest first, of these authors (undefined: of anybody, all public). */
function isPage(authors: ReadonlySet<string> | undefined): (page: readonly Status[]) => boolean {
  return (page) =>
    page.length === PAGE &&
    page.every(({ id, account, visibility }, index) => {
      const newer = page[index - 1];
      return (newer === undefined || newer.id > id) && (authors?.has(account.id) ?? visibility === 'public');
    });
}

function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

const get = (path: string, { token }: Made, right: Call['right']): Call => ({ method: 'GET', path, token, right });
const hasId: Call['right'] = (answer) => answer.id !== undefined;
const write = ({ token }: Made, path: string, body: object, right = hasId): Call => ({
  method: 'POST',
  path,
  token,
  body,
  right,
});

async function send(url: string, { method, path, token, body, right }: Call): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  assert.equal(response.status, 200, path);
  const answer: unknown = await response.json();
  assert.ok(right(answer), `${path}: ${JSON.stringify(answer)}`);
  return answer;
}
