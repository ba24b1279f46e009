import assert from 'node:assert/strict';
import { request } from 'undici';
import { percentile, type Row } from '../row.js';

const STREAMED = 200;
const EVENT_MS_MAX = 5_000;

/** Records the time of arrival of `update` events by id; polling for them would distort the measurement. */
class Arrivals {
  readonly at = new Map<string, number>();
  private awaited: { readonly id: string; readonly resolve: () => void } | undefined;
  private rest = '';

  take(chunk: string): void {
    const nowMs = performance.now();
    const blocks = (this.rest + chunk).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (!/^event: ?update$/m.test(block)) continue;
      const { id } = JSON.parse(/^data: ?(.*)$/m.exec(block)?.[1] ?? '') as { id: string };
      assert.ok(!this.at.has(id), `the event of ${id} came twice`);
      this.at.set(id, nowMs);
      if (this.awaited?.id === id) this.awaited.resolve();
    }
  }

  /** Returns the time of an event. @throws when it does not arrive in time */
  async of(id: string): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.at.has(id)) {
      await new Promise<void>((resolve, reject) => {
        this.awaited = { id, resolve };
        timer = setTimeout(() => reject(new Error(`no event of ${id} in ${EVENT_MS_MAX} ms`)), EVENT_MS_MAX);
      }).finally(() => clearTimeout(timer));
    }
    return this.at.get(id) ?? Number.NaN;
  }
}

/**
 * Measures the time from sending a post to its event in a follower's open stream (SSE, same node), one post at a time.
 * The event may arrive before the post's own answer.
 */
export async function streamLatency(
  url: string,
  followerToken: string,
  post: (text: string) => Promise<{ id: string }>,
): Promise<Row> {
  const abort = new AbortController();
  const { statusCode, body } = await request(`${url}/api/v1/streaming/user`, {
    headers: { authorization: `Bearer ${followerToken}`, accept: 'text/event-stream' },
    signal: abort.signal,
    bodyTimeout: EVENT_MS_MAX * 10,
  });
  assert.equal(statusCode, 200);
  const arrivals = new Arrivals();
  let broken: unknown;
  body.setEncoding('utf8').on('data', (chunk: string) => {
    try {
      arrivals.take(chunk);
    } catch (error) {
      broken ??= error;
    }
  });
  body.on('error', (error) => {
    if (!abort.signal.aborted) broken ??= error;
  });
  const times: number[] = [];
  try {
    for (let index = 0; index < STREAMED; index++) {
      const startedMs = performance.now();
      const { id } = await post(`streamed ${index}`);
      times.push((await arrivals.of(id)) - startedMs);
      if (broken !== undefined) throw broken;
    }
  } finally {
    abort.abort();
  }
  assert.equal(arrivals.at.size, STREAMED);
  times.sort((a, b) => a - b);
  return {
    name: 'post → event in a stream, one at a time',
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}
