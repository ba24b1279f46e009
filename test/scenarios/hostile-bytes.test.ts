import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { freePort } from '../../cluster/local/process.js';
import { resourceUse } from '../../parsers/resource-use.js';
import { hostilePages } from '../kit/hostile/hostile-pages.js';
import { hostileUploads } from '../kit/hostile/hostile-uploads.js';
import { WebPages } from '../kit/network/web-pages.js';
import { ServerProcess } from '../kit/services/server-process.js';
import { longestDelayMs } from '../kit/time/loop-delay.js';
import { until } from '../kit/time/until.js';
import { call, makePeople, type Person } from './cluster/people.js';

/** Maximum stall of the node's event loop, beyond the stalls of this process by the machine. */
const STALL_MS_MAX = 100;
/** Maximum growth of the node's and its parsers' memory while they judge a hostile file. */
const GROWTH_BYTES_MAX = 256 * 2 ** 20;
/** Attempts with a file that seems to stall the node: an effect of the file repeats, one of chance does not. */
const TRIES_MAX = 3;
const LOOK_MS = 15;
const CARD_MS_MAX = 30_000;

let server: ServerProcess;
let pages: WebPages;
let metricsUrl: string;
let ada: Person;

before(async () => {
  const metrics = `127.0.0.1:${await freePort('127.0.0.1')}`;
  metricsUrl = `http://${metrics}/metrics`;
  server = await ServerProcess.start({ METRICS_LISTEN: metrics, FEDERATION_ALLOW_CIDRS: 'loopback' });
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  pages = await WebPages.open((request, response) => {
    const fine = '<html><head><title>A fine page</title></head></html>';
    response.setHeader('content-type', 'text/html').end(hostilePages[(request.url ?? '').split('?')[0] ?? ''] ?? fine);
  });
});
after(async () => {
  await pages?.close();
  await server?.dispose();
});

/** Returns the memory of the node and of all its child processes. */
function heldBytes(): number {
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'latin1');
  const pids = [server.pid, ...children.split(' ').filter(Boolean).map(Number)];
  return pids.reduce((sum, pid) => sum + (resourceUse(pid)?.rssBytes ?? 0), 0);
}

interface Watched<T> {
  readonly result: T;
  readonly stalledMs: number;
  readonly grownBytes: number;
}

/** Runs `work` while it watches the node's event loop and memory. */
async function watched<T>(work: () => Promise<T>): Promise<Watched<T>> {
  const here = monitorEventLoopDelay({ resolution: 10 });
  here.enable();
  await longestDelayMs(metricsUrl);
  const before = heldBytes();
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, heldBytes());
  }, LOOK_MS);
  try {
    const result = await work();
    const health = await fetch(`${server.url}/health`);
    assert.equal(health.status, 200);
    const machineMs = here.max / 1e6;
    return { result, stalledMs: (await longestDelayMs(metricsUrl)) - machineMs, grownBytes: most - before };
  } finally {
    clearInterval(looking);
    here.disable();
  }
}

/** Repeats work that seemed to harm the node. Undefined: at least once it did not. */
async function harm(name: string, work: () => Promise<unknown>): Promise<string | undefined> {
  let found: string | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { stalledMs, grownBytes } = await watched(work);
    if (stalledMs <= STALL_MS_MAX && grownBytes <= GROWTH_BYTES_MAX) return undefined;
    found = `${name}: stalled ${stalledMs.toFixed(0)} ms, grew by ${(grownBytes / 2 ** 20).toFixed(0)} MB`;
  }
  return found;
}

async function upload(bytes: Uint8Array, type = 'image/png'): Promise<{ status: number; error: string }> {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from(bytes)], { type }), 'file');
  const headers = { authorization: `Bearer ${ada.token}` };
  const answer = await fetch(`${server.url}/api/v1/media`, { method: 'POST', headers, body: form });
  const { error = '' } = (await answer.json()) as { error?: string };
  return { status: answer.status, error };
}

const stored = () => {
  try {
    return readdirSync(join(server.dataDir, 'media'), { recursive: true }).length;
  } catch {
    return 0;
  }
};

test('no upload holds up the node or fills its memory, and refused ones leave nothing', {
  timeout: 240_000,
}, async () => {
  const fine = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer();
  assert.equal((await upload(fine)).status, 200);
  const wrong: (string | undefined)[] = [];
  for (const { name, bytes, mayPass } of await hostileUploads()) {
    const before = stored();
    const harmed = await harm(name, async () => {
      const { status, error } = await upload(bytes);
      const isRefused = status === 422 && error.startsWith('Validation failed: File ');
      if (!isRefused && !(mayPass && [200, 202].includes(status))) wrong.push(`${name}: ${status} ${error}`);
      if (isRefused && stored() !== before) wrong.push(`${name}: refused and stored`);
    });
    wrong.push(harmed);
  }
  assert.deepEqual(wrong.filter(Boolean), []);
  assert.equal((await upload(fine)).status, 200, 'the parsers still work');
});

test('no linked page holds up the node or fills its memory', { timeout: 240_000 }, async () => {
  let sent = 0;
  const linked = async (path: string) => {
    sent += 1;
    const asked = `${path}?${sent}`;
    const body = { status: `see ${pages.url}${asked}` };
    const status = (await call(server.url, ada, 'POST', '/api/v1/statuses', body)) as { id: string };
    await until(`${asked} fetched`, async () => pages.asked.includes(asked) || undefined, CARD_MS_MAX);
    return status.id;
  };
  const carded = (id: string) =>
    until(
      'the card of a fine page',
      async () => {
        const found = (await call(server.url, ada, 'GET', `/api/v1/statuses/${id}`)) as { card: object | null };
        return found.card ?? undefined;
      },
      CARD_MS_MAX,
    );
  const wrong: (string | undefined)[] = [];
  for (const path of Object.keys(hostilePages)) {
    // The parsers work in turns, so the previous page has been read, or given up, once the next one has a card.
    wrong.push(
      await harm(path, async () => {
        await linked(path);
        await carded(await linked('/fine'));
        await carded(await linked('/fine'));
      }),
    );
  }
  assert.deepEqual(wrong.filter(Boolean), []);
});
