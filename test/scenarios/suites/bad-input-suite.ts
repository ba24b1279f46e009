import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { fieldsOf } from '../../kit/hostile/hostile-values.js';
import { OwnTime } from '../../kit/time/own-time.js';
import { sameDayFor } from '../../kit/time/same-day.js';
import { NOTHING_THERE, nameOf } from '../requests/every-route.js';
import type { Fitting } from '../requests/fitting-request.js';
import {
  bodyCases,
  hugeCases,
  idCases,
  noRequestCases,
  othersCases,
  queryCases,
  tokenCases,
} from '../requests/refusal-cases.js';
import type { Ground } from '../worlds/node-address.js';
import { Attack } from './attack.js';

/**
 * Maximum duration of a health check, which takes about a millisecond; allows for a machine at its limit and for
 * garbage collection.
 */
const BLOCKED_MS_MAX = 2_000;
/** Type of the bodies that inboxes read. */
const ACTIVITY_TYPE = 'application/activity+json';
/**
 * Daily counts are among the data that refusals must not change, so the day must last this long: three times what these
 * tests take beside others. A run shortly before midnight waits for it.
 */
const DAY_LASTS_MS = 240_000;
/** Bodies of 10 MB are sent one by one. */
const ONE_AT_A_TIME = 1;

/** Health checks of the server while it is attacked. */
class Pulse {
  slowestMs = 0;
  failures = 0;
  private stopped = false;

  /** Requests /health from every node continuously until it is stopped. */
  constructor(urls: readonly string[]) {
    for (const url of urls) void this.ask(`${url}/health`);
  }

  stop(): void {
    this.stopped = true;
  }

  private async ask(url: string): Promise<void> {
    while (!this.stopped) {
      // Excludes time in which this process was busy.
      const time = new OwnTime();
      const answer = await fetch(url).catch(() => undefined);
      if (answer?.status !== 200) this.failures++;
      this.slowestMs = Math.max(this.slowestMs, time.stop());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

let attack: Attack;
let pulse: Pulse;
let pids: readonly number[];

/**
 * Tests success, and refusals of hostile input, over the list of routes itself. Each test stands alone.
 * @param share of the hostile values that are sent, besides one refusal of each kind and route, which goes to every
 *   node
 */
export function badInputTests(open: () => Promise<Ground>, share: number): void {
  before(async () => {
    await sameDayFor(DAY_LASTS_MS);
    const ground = await open();
    attack = await Attack.prepare(ground, share);
    pids = ground.nodes.map(({ pid }) => pid);
    pulse = new Pulse(ground.nodes.map(({ url }) => url));
  });
  after(async () => {
    pulse?.stop();
    attack?.close();
    await attack?.ground.dispose();
  });
  successTests();
  refusalTests();
  oddTests();
  noticingTests();
}

/** Returns a token with no more than the permissions that the route requires. */
async function enough(route: AnyRoute, { token }: Fitting): Promise<string | undefined> {
  if (route.auth === 'app') return attack.tokens.app;
  if (route.permission !== undefined) return attack.scoped.alone('chief', route);
  return route.auth === 'none' || token !== undefined ? token : attack.scoped.alone('ada', route);
}

function successTests(): void {
  test('every route answers a fitting request with success', async () => {
    const found: string[] = [];
    for (const route of allRoutes) {
      const fitting = await attack.world.fitting(route);
      const answer = await attack.send(route, { ...fitting, token: await enough(route, fitting) });
      const isGone = NOTHING_THERE.get(nameOf(route)) === answer.status;
      if (answer.status >= 400 && !isGone)
        found.push(`${nameOf(route)}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    assert.deepEqual(found, []);
  });
}

function refusalTests(): void {
  test('each route refuses no token, a broken one, one of another scope, an application’s and an unconfirmed user’s', async () => {
    assert.deepEqual(await attack.faults(await tokenCases(attack)), []);
  });

  test('invalid and unknown ids in paths are 404, and bytes that are not text are 400', async () => {
    assert.deepEqual(await attack.faults(idCases()), []);
  });

  test('another account’s private data are shown to nobody, and changed by nobody', async () => {
    const cases = othersCases(attack);
    assert.ok(cases.length > 40);
    assert.deepEqual(await attack.faults(cases), []);
  });

  test('every field of every query refuses values of other types', async () => {
    const cases = queryCases();
    assert.ok(cases.length > 200);
    assert.deepEqual(await attack.faults(cases), []);
  });

  test('every field of every body refuses values of other types, in JSON and in forms', async () => {
    const cases = bodyCases();
    assert.ok(cases.length > 400);
    assert.deepEqual(await attack.faults(cases), []);
  });

  test('malformed bodies are refused by every route that reads one', async () => {
    assert.deepEqual(await attack.faults(noRequestCases()), []);
  });

  test('a body of 10 MB is 413 for every route that reads one', async () => {
    assert.deepEqual(await attack.faults(hugeCases(), ONE_AT_A_TIME), []);
  });
}

/** Returns true for a route that requires a file, which JSON cannot contain. */
const demandsFile = ({ body }: AnyRoute): boolean =>
  fieldsOf(body).some(({ path, schema }) => 'bytes' in schema && body.required?.includes(path[0] ?? ''));

function oddTests(): void {
  test('names that mean something to JavaScript, and deep nesting, mean nothing to any route', async () => {
    const strange = '{"__proto__":{"viewer":"1"},"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":1';
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    for (const route of allRoutes.filter((one) => one.method !== 'GET' && !demandsFile(one))) {
      const { body = {}, ...fitting } = await attack.world.fitting(route);
      // A page with a file field of its own message: its handler refuses JSON, which has no file.
      if (fitting.form?.type.startsWith('multipart/')) continue;
      const raw = `${strange},"deep":${deep}${Object.entries(body)
        .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
        .join('')}}`;
      const token = route.auth === 'app' ? attack.tokens.app : attack.world.viewer.token;
      const answer = await attack.send(route, { token, ...fitting, raw, ...(route.isRaw && { type: ACTIVITY_TYPE }) });
      // An inbox refuses such documents as a whole.
      const isFine = route.isRaw
        ? answer.status === 400
        : answer.status < 400 || NOTHING_THERE.get(nameOf(route)) === answer.status;
      assert.ok(isFine, `${nameOf(route)}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  });

  test('unknown addresses, other methods and long addresses are refused', async () => {
    for (const node of attack.ground.nodes.keys()) {
      const at = async (method: string, path: string) => (await attack.client(node).send({ method, path })).status;
      assert.equal(await at('GET', '/nowhere'), 404);
      assert.equal(await at('GET', '/api/v1/accounts/1/statuses/extra'), 404);
      assert.equal(await at('GET', '/../../etc/passwd'), 404);
      assert.equal(await at('DELETE', '/api/v1/apps'), 405);
      assert.equal(await at('GET', `/api/v1/instance?${'x'.repeat(9_000)}`), 400);
    }
  });

  test('after all of it the same processes run, were never blocked, and logged no internal error', async (t) => {
    const { nodes } = attack.ground;
    assert.deepEqual(
      nodes.map(({ pid }) => pid),
      pids,
    );
    for (const { running, url } of nodes) {
      assert.ok(running);
      assert.equal((await fetch(`${url}/health`)).status, 200);
    }
    assert.equal(pulse.failures, 0);
    t.diagnostic(`/health took ${pulse.slowestMs.toFixed(0)} ms at most`);
    assert.ok(pulse.slowestMs < BLOCKED_MS_MAX, `/health took ${pulse.slowestMs} ms`);
    const lines = nodes.flatMap(({ log }) => log.split('\n').filter((line) => line.startsWith('{')));
    assert.deepEqual(
      lines.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });
}

function noticingTests(): void {
  test('these tests detect a request that is not refused, and the change that it caused', async () => {
    const route = allRoutes.find((one) => nameOf(one) === 'POST /api/v1/statuses') as AnyRoute;
    const found = await attack.faults([{ name: 'nothing wrong', route, sent: (fitting) => fitting, isCore: true }]);
    assert.match(found.join('\n'), /POST \/api\/v1\/statuses: nothing wrong answered 200/);
    assert.match(found.join('\n'), /something has changed: GET \/api\/v1\/timelines\/home/);
  });
}
