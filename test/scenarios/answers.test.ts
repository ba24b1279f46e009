import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { AnyRoute } from '../../gateway/http/route.js';
import { answerSchema, entitySchemas, type Facts, pathShape } from '../../gateway/openapi/answer-schemas.js';
import recorded from '../../gateway/openapi/facts.json' with { type: 'json' };
import { allRoutes } from '../../gateway/routes/index.js';
import { ServerProcess } from '../kit/server-process.js';
import { EveryRoute, NOTHING_THERE, nameOf, pathOf } from './every-route.js';

const facts = recorded as unknown as Facts;
const operations = new Map(facts.operations.map((fact) => [`${fact[0]} ${pathShape(fact[1])}`, fact]));
const FAULTS_MAX = 5;

let server: ServerProcess;
let world: EveryRoute;
let appToken = '';
before(async () => {
  server = await ServerProcess.start({ LOG_LEVEL: 'warn' });
  world = await EveryRoute.prepare(server);
  const { body } = await world.fitting({ method: 'POST', path: '/oauth/token' } as AnyRoute);
  const granted = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, scope: 'read write' }),
  });
  appToken = ((await granted.json()) as { access_token: string }).access_token;
});
after(() => server?.dispose());

function validatorOf(answer: string): ValidateFunction | undefined {
  const schema = answerSchema(answer);
  if (schema === undefined) return undefined;
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  return ajv.compile({ ...schema, components: { schemas: entitySchemas(facts) } });
}

const validators = new Map<string, ValidateFunction | undefined>();
function validator(answer: string): ValidateFunction | undefined {
  if (!validators.has(answer)) validators.set(answer, validatorOf(answer));
  return validators.get(answer);
}

async function ask(route: AnyRoute): Promise<Response> {
  const { id = '', rest, query, headers, body, form, token } = await world.fitting(route);
  const bearer = token ?? (route.auth === 'app' ? appToken : world.viewer.token);
  return fetch(`${server.url}${pathOf(route, id, rest)}${query === undefined ? '' : `?${query}`}`, {
    method: route.method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': form.type }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(form === undefined ? {} : { body: new Uint8Array(form.bytes) }),
  });
}

test('every route answers what the API says: its status, every field that must be there, no other types', async (t) => {
  const found: string[] = [];
  const empty: string[] = [];
  for (const route of allRoutes) {
    const fact = operations.get(`${route.method} ${pathShape(route.path)}`);
    if (fact === undefined) continue;
    const response = await ask(route);
    const text = await response.text();
    // Older addresses lead to newer ones.
    if (response.status === 301) continue;
    const allowed = fact[4].split(',').map(Number);
    if (NOTHING_THERE.get(nameOf(route)) === response.status) continue;
    if (!allowed.includes(response.status)) {
      if (!(fact[5].startsWith('HTML') && response.status === 302))
        found.push(`${nameOf(route)}: ${response.status}, not ${fact[4]}: ${text.slice(0, 200)}`);
      continue;
    }
    const check = validator(fact[5]);
    if (check === undefined) continue;
    const body: unknown = JSON.parse(text);
    if (Array.isArray(body) && body.length === 0) empty.push(nameOf(route));
    if (check(body)) continue;
    for (const { instancePath, message, params } of (check.errors ?? []).slice(0, FAULTS_MAX))
      found.push(`${nameOf(route)}: ${fact[5]}${instancePath} ${message} ${JSON.stringify(params)}`);
  }
  t.diagnostic(`nothing in these lists, so no entity was judged: ${empty.join(', ')}`);
  assert.deepEqual(found, []);
});

test('a Link header leads to neighbouring pages of the same list, by parameters that the route knows', async () => {
  const found: string[] = [];
  let links = 0;
  for (const route of allRoutes.filter(({ method }) => method === 'GET')) {
    const response = await ask(route);
    const header = response.headers.get('link');
    if (response.status !== 200 || header === null) continue;
    const known = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {});
    for (const link of header.split(', ')) {
      const [, address = '', rel = ''] = /^<([^>]+)>; rel="(next|prev|alternate)"$/.exec(link) ?? [];
      if (rel === 'alternate') continue;
      links++;
      const url = URL.canParse(address) ? new URL(address) : undefined;
      const own = new URL(response.url);
      if (url === undefined || url.origin !== own.origin || url.pathname !== own.pathname) {
        found.push(`${nameOf(route)}: ${link}`);
        continue;
      }
      const names = [...url.searchParams.keys()].map((name) => name.replace(/\[\]$/, ''));
      const strange = names.filter((name) => !known.includes(name));
      const paging = names.filter((name) => ['max_id', 'min_id', 'since_id', 'offset'].includes(name));
      if (strange.length > 0 || paging.length !== 1) found.push(`${nameOf(route)}: ${link}`);
      const { token } = await world.fitting(route);
      const next = await fetch(url, { headers: { authorization: `Bearer ${token ?? world.viewer.token}` } });
      if (next.status !== 200) found.push(`${nameOf(route)}: ${rel} is ${next.status}`);
      await next.text();
    }
  }
  assert.ok(links > 0);
  assert.deepEqual(found, []);
});
