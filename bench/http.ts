import assert from 'node:assert/strict';
import { EventStream } from '../test/kit/event-stream.js';
import { ServerProcess } from '../test/kit/server-process.js';
import { until } from '../test/kit/until.js';
import { createAccounts, type Made } from './accounts.js';
import { type Load, measure } from './http-load.js';
import { percentile, type Row } from './row.js';

const FOLLOWEES = 20;
const FOLLOWERS = 100;
const STREAMED = 200;

/** What clients do most, against one embedded server with everything durable. */
export async function benchHttp(): Promise<Row[]> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'warn' });
  try {
    const people = (await createAccounts(server, FOLLOWERS + FOLLOWEES + 2)) as [Made, Made, ...Made[]];
    const [reader, star, ...others] = people;
    const rows: Row[] = [];
    const load = async (wanted: Load) => rows.push(await measure(server.url, server.pid, wanted));
    const follow = (who: Made, whom: Made) => post(server.url, who, `/api/v1/accounts/${whom.id}/follow`, {});
    for (const other of others.slice(0, FOLLOWEES)) await follow(reader, other);
    for (const other of others.slice(0, FOLLOWERS)) await follow(other, star);
    const status = (await post(server.url, star, '/api/v1/statuses', { status: 'the one' })) as { id: string };
    await load({
      name: 'verify_credentials',
      count: 20_000,
      inFlight: 32,
      target: 0.05,
      call: () => get('/api/v1/accounts/verify_credentials', reader, (answer) => answer.id === reader.id),
    });
    await load({
      name: 'post, no followers',
      count: 2_000,
      inFlight: 32,
      call: (index) => write(others[index % FOLLOWEES] as Made, '/api/v1/statuses', { status: `post ${index}` }),
    });
    await load({
      name: `post, ${FOLLOWERS} followers`,
      count: 1_000,
      inFlight: 8,
      call: (index) => write(star, '/api/v1/statuses', { status: `star ${index}` }),
    });
    await load({
      name: 'favourite',
      count: 80,
      inFlight: 8,
      call: (index) => write(others[index % others.length] as Made, `/api/v1/statuses/${status.id}/favourite`, {}),
    });
    await load({
      name: `home page of 20, ${FOLLOWEES} followed`,
      count: 500,
      inFlight: 32,
      call: () => get('/api/v1/timelines/home', reader, (answer) => answer.length === 20),
    });
    await load({
      name: 'public page of 20',
      count: 500,
      inFlight: 32,
      call: () => get('/api/v1/timelines/public', reader, (answer) => answer.length === 20),
    });
    await load({
      name: 'one status',
      count: 5_000,
      inFlight: 32,
      call: () => get(`/api/v1/statuses/${status.id}`, reader, (answer) => answer.id === status.id),
    });
    rows.push(await streamLatency(server.url, others[0] as Made, star));
    return rows;
  } finally {
    await server.dispose();
  }
}

/** From the request of a post to its event at a follower's open stream. */
async function streamLatency(url: string, follower: Made, author: Made): Promise<Row> {
  const stream = await EventStream.open(url, 'user', follower.token);
  const times: number[] = [];
  for (let index = 0; index < STREAMED; index++) {
    const startedMs = performance.now();
    const { id } = (await post(url, author, '/api/v1/statuses', { status: `streamed ${index}` })) as { id: string };
    await until('the event', () => stream.updates().at(-1) === id || undefined, 5_000);
    times.push(performance.now() - startedMs);
  }
  assert.equal(new Set(stream.updates()).size, STREAMED);
  await stream.close();
  times.sort((a, b) => a - b);
  return { name: 'post → event in a stream', p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
const get = (path: string, { token }: Made, right: (answer: any) => boolean) =>
  ({ method: 'GET', path, token, right }) as const;
const write = ({ token }: Made, path: string, body: object) =>
  ({ method: 'POST', path, token, body, right: (answer: { id?: string }) => answer.id !== undefined }) as const;

async function post(url: string, { token }: Made, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, path);
  return response.json();
}
