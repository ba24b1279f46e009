import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../../kit/services/server-process.js';
import { call } from '../cluster/people.js';
import { EveryRoute } from '../requests/every-route.js';
import { appTokenOf, type Reading, readings, settledAnswers } from '../requests/read-requests.js';

/** Folder with the recorded data of each release: an archive named after its version. */
export const RECORDED = 'test/scenarios/stored';

/** Settings with which data are recorded and read: addresses in answers then differ in nothing. */
const SETTINGS = { LOG_LEVEL: 'warn', BASE_URL: 'http://stored.example' };
/** File of a data folder with the requests and their answers; a server does not know it. */
const ANSWERS = 'recorded-answers.json';
/**
 * Documents for applications and other servers. Sessions of browsers end, so pages for people are not compared. The
 * description of the API describes the program, not its data.
 */
const LASTING = /^GET \/(?:api(?!\/docs\/|\/openapi\.json)|contexts|users|\.well-known)\//;
/**
 * Routes whose answers change with the days alone: trends, popularity, measures, weeks, pages that begin now, what an
 * ended poll says.
 */
const OF_THE_DAYS =
  /\/(?:trends|suggestions|instance|admin\/measures|admin\/retention|media|polls|notifications|search|timelines\/link)(?:\/|$)/;
/** Fields that count recent days, and those that an ended poll changes. */
const DAILY_FIELDS = new Set(['history', 'last_status_at', 'expired']);

const isCompared = ({ name }: Pick<Reading, 'name'>): boolean => LASTING.test(name) && !OF_THE_DAYS.test(name);

interface Recorded {
  readonly all: readonly Reading[];
  readonly answers: readonly (readonly [string, string])[];
}

/** Records the data folder of a server on which everything exists, with its answers, as an archive of `RECORDED`. */
export async function record(version: string): Promise<void> {
  const server = await ServerProcess.start(SETTINGS);
  try {
    const world = await EveryRoute.prepare(server);
    const every = await readings(world, await appTokenOf(world, server.url));
    // A scheduled status would be published before the data are read again.
    const scheduled = await call(server.url, world.viewer, 'GET', '/api/v1/scheduled_statuses');
    for (const { id } of scheduled as { readonly id: string }[])
      await call(server.url, world.viewer, 'DELETE', `/api/v1/scheduled_statuses/${id}`);
    const all = every.filter(isCompared);
    const answers = await settledAnswers(server.url, all);
    await server.stop();
    writeFileSync(join(server.dataDir, ANSWERS), JSON.stringify({ all, answers: [...answers] } satisfies Recorded));
    execFileSync('tar', ['-C', server.dataDir, '-czf', join(RECORDED, `${version}.tgz`), '.']);
  } finally {
    await server.dispose();
  }
}

/** Starts this program with the data of a release. Returns the recorded answers and those of today. */
export async function readAgain(version: string): Promise<{ recorded: Map<string, string>; now: Map<string, string> }> {
  const server = await ServerProcess.start(SETTINGS);
  try {
    await server.stop();
    rmSync(server.dataDir, { recursive: true });
    mkdirSync(server.dataDir, { mode: 0o700 });
    execFileSync('tar', ['-C', server.dataDir, '-xzf', join(RECORDED, `${version}.tgz`)]);
    const { all, answers } = JSON.parse(readFileSync(join(server.dataDir, ANSWERS), 'utf8')) as Recorded;
    await server.restart();
    const now = await settledAnswers(server.url, all.filter(isCompared));
    return comparable(new Map(answers.filter(([name]) => isCompared({ name }))), now);
  } finally {
    await server.dispose();
  }
}

/** Returns the answers without fields that change with the days, and of today's those fields that were recorded. */
export function comparable(
  recorded: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): { recorded: Map<string, string>; now: Map<string, string> } {
  const both = [...recorded].map(([name, answer]) => {
    const [before, after] = [parsed(answer), parsed(now.get(name) ?? '')];
    const shown = (body: unknown) => JSON.stringify(recordedPart(before.body, body));
    const text = (head: string, body: unknown) => `${head}\n${typeof body === 'string' ? body : shown(body)}`;
    return { name, recorded: text(before.head, before.body), now: text(after.head, after.body) };
  });
  return {
    recorded: new Map(both.map((one) => [one.name, one.recorded])),
    now: new Map(both.map((one) => [one.name, one.now])),
  };
}

/** Returns status and paging, and the body: parsed if it is JSON. */
function parsed(answer: string): { readonly head: string; readonly body: unknown } {
  const [status = '', link = '', ...lines] = answer.split('\n');
  const text = lines.join('\n');
  return { head: `${status}\n${link}`, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
}

/** Returns the value without fields that `recorded` lacks: a later version may add fields to an entity. */
function recordedPart(recorded: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one, at) => recordedPart((recorded as unknown[] | undefined)?.[at], one));
  if (typeof value !== 'object' || value === null || typeof recorded !== 'object' || recorded === null) return value;
  const before = recorded as Readonly<Record<string, unknown>>;
  const kept = Object.keys(before).filter((key) => key in value && !DAILY_FIELDS.has(key));
  return Object.fromEntries(
    kept.map((key) => [key, recordedPart(before[key], (value as Record<string, unknown>)[key])]),
  );
}
