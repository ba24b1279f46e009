import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { entitySchemas, type Facts, pathShape } from '../../gateway/openapi/facts.js';
import recorded from '../../gateway/openapi/facts.json' with { type: 'json' };
import { AnswerJudge } from './answer-judge.js';
import { type EveryRoute, nameOf, pathOf } from './every-route.js';

/** One read request, the same each time. */
export interface Reading {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Minimum number of judged answers, below the actual one. */
const JUDGED_MIN = 80;
/** Maximum number of passes until the answers settle. Effects of earlier requests end within a pass or two. */
const PASSES_MAX = 20;
/** Position from which a page follows its stream: the time at which it was rendered. */
const RENDERED_AT = / data-since="\d+"/g;
/** Routes whose answers depend on the process, the moment or the connection, not on stored data. */
const OF_THE_MOMENT = /^GET \/(?:health|metrics|cluster|api\/v1\/streaming|auth\/|oauth\/authorize)/;

/** Returns requests to all routes that answer stored data, about existing things. */
export async function readings(world: Pick<EveryRoute, 'fitting' | 'viewer'>, appToken: string): Promise<Reading[]> {
  const all: Reading[] = [];
  for (const route of allRoutes) {
    if (route.method !== 'GET' || OF_THE_MOMENT.test(nameOf(route))) continue;
    const { id = '', rest, query, headers, token } = await world.fitting(route);
    const bearer = token ?? (route.auth === 'app' ? appToken : world.viewer.token);
    const path = `${pathOf(route, id, rest)}${query === undefined ? '' : `?${query}`}`;
    all.push({ name: nameOf(route), path, headers: { ...headers, authorization: `Bearer ${bearer}` } });
  }
  return all;
}

/** Returns a client-credentials token of an application. */
export async function appTokenOf(world: Pick<EveryRoute, 'fitting'>, url: string): Promise<string> {
  const { body } = await world.fitting({ method: 'POST', path: '/oauth/token' } as AnyRoute);
  const granted = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, scope: 'read write' }),
  });
  return ((await granted.json()) as { access_token: string }).access_token;
}

/** Returns the answers by request: status, paging, and the body without the moment at which a page was made. */
export async function answersOf(url: string, all: readonly Reading[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const { name, path, headers } of all) {
    const response = await fetch(`${url}${path}`, { headers, redirect: 'manual' });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isText = /json|text|xml/.test(response.headers.get('content-type') ?? '');
    const link = response.headers.get('link') ?? '';
    const text = isText ? bytes.toString('utf8').replace(RENDERED_AT, '') : bytes.toString('base64');
    answers.set(name, [response.status, link, text].join('\n'));
  }
  return answers;
}

/**
 * Returns the answers once they no longer change: twice the same. The bound counts passes, not time: a pass takes
 * seconds, and many more on a slow machine.
 * @throws after the last pass, naming the answers that still change
 */
export async function settledAnswers(url: string, all: readonly Reading[]): Promise<Map<string, string>> {
  let last = await answersOf(url, all);
  let changed: string[] = [];
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const now = await answersOf(url, all);
    changed = differences(last, now);
    if (changed.length === 0) return now;
    last = now;
  }
  throw new Error(`answers still change after ${PASSES_MAX} passes:\n${changed.join('\n')}`);
}

/** Returns the names of answers that differ. */
export function differences(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string[] {
  return [...some].flatMap(([name, answer]) => {
    const other = others.get(name) ?? '';
    if (other === answer) return [];
    let at = 0;
    while (at < answer.length && answer[at] === other[at]) at++;
    const from = Math.max(0, at - 60);
    return [`${name}: …${answer.slice(from, at + 120)} ≠ …${other.slice(from, at + 120)}`];
  });
}

/** Returns deviations of the answers from the documented API: missing fields, other types. */
export function misfits(answers: ReadonlyMap<string, string>): string[] {
  const facts = recorded as unknown as Facts;
  const documented = new Map(
    facts.operations.map(([method, path, , , , answer]) => [`${method} ${pathShape(path)}`, answer]),
  );
  const judge = new AnswerJudge(entitySchemas(facts));
  let judged = 0;
  const found = [...answers].flatMap(([name, text]) => {
    const [method = '', path = ''] = name.split(' ');
    const fact = documented.get(`${method} ${pathShape(path)}`);
    const [status = '', , ...body] = text.split('\n');
    if (fact === undefined || status !== '200' || !/^[[{]/.test(body[0] ?? '')) return [];
    judged++;
    return judge.faults(fact, name, JSON.parse(body.join('\n'))) ?? [];
  });
  return judged >= JUDGED_MIN ? found : [`only ${judged} answers were judged`, ...found];
}
