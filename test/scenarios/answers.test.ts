import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnyRoute } from '../../gateway/http/route.js';
import { type Components, published } from '../../gateway/openapi/published.js';
import { allRoutes } from '../../gateway/routes/index.js';
import { entitySchemas, type Facts, pathShape } from '../gateway/openapi/facts.js';
import recorded from '../gateway/openapi/facts.json' with { type: 'json' };
import { ServerProcess } from '../kit/services/server-process.js';
import { AnswerJudge, closed } from './requests/answer-judge.js';
import { EveryRoute, NOTHING_THERE, nameOf, pathOf } from './requests/every-route.js';

const facts = recorded as unknown as Facts;
const operations = new Map(facts.operations.map((fact) => [`${fact[0]} ${pathShape(fact[1])}`, fact]));

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

const judge = new AnswerJudge(entitySchemas(facts));
/** Judges by the schemas from which the types of this server come. They know every field. */
const components: Components = {};
const answers = new Map(
  allRoutes.flatMap((route) =>
    route.answer === undefined ? [] : [[nameOf(route), closed(published(route.answer, components))] as const],
  ),
);
const own = new AnswerJudge(closed(components));
const ownFaults = (name: string, body: unknown) => {
  const schema = answers.get(name);
  return schema === undefined ? [`${name} has no schema`] : own.faultsBy(schema, name, name, body);
};

/** Sends the fitting request. `more`: further query parameters. */
async function ask(route: AnyRoute, more?: string): Promise<Response> {
  const { id = '', rest, query, headers, body, form, token } = await world.fitting(route);
  const bearer = token ?? (route.auth === 'app' ? appToken : world.viewer.token);
  const asked = [query, more].filter((part) => part !== undefined).join('&');
  return fetch(`${server.url}${pathOf(route, id, rest)}${asked && `?${asked}`}`, {
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

/** Places that are empty in every answer, with reasons; `*` stands for all entities with that field. */
const EMPTY: Readonly<Record<string, string>> = {
  'GET /api/v1/accounts/:id/identity_proofs[]': 'withdrawn: for all times an empty list',
  'GET /api/v1/annual_reports.annual_reports[]': 'no year is summed up',
  'GET /api/v1/annual_reports.accounts[]': 'no year is summed up',
  'GET /api/v1/annual_reports.statuses[]': 'no year is summed up',
  '*.feature_approval': 'said of accounts where people look for somebody, not within everything that they said',
  'Search.collections[]': 'found by their address alone, which the routes’ one request does not ask for',
  '*.moved': 'people move between servers only',
  '*.event': 'relations are severed between servers only',
  '*.authors[]': 'the pages that are linked to cannot be fetched here',
  'Announcement.mentions[]': 'what announcements name is in their content only',
  'Announcement.statuses[]': 'what announcements name is in their content only',
  'Instance.icon[]': 'there is a thumbnail only',
  'MutedAccount.roles[]': 'nobody with a role is muted; shown as elsewhere',
  'StatusEdit.quote': 'what is edited there quotes nothing',
};
/** Additional requests by the owner of the instance, who sees more on the same routes. */
const AS_CHIEF = [
  'GET /api/v1/notifications',
  'GET /api/v2/notifications',
  'GET /api/v1/accounts/verify_credentials',
  'GET /api/v2/admin/accounts',
];

test('every route answers as the API documents: its status, every required field, no other types', async () => {
  const found: string[] = [];
  // Read requests come first, before other requests delete data.
  const reading = allRoutes.filter(({ method }) => method === 'GET');
  for (const route of new Set([...reading, ...allRoutes])) {
    const fact = operations.get(`${route.method} ${pathShape(route.path)}`);
    if (fact === undefined) continue;
    const response = await ask(route);
    const text = await response.text();
    // Old addresses redirect to new ones.
    if (response.status === 301) continue;
    const allowed = fact[4].split(',').map(Number);
    if (NOTHING_THERE.get(nameOf(route)) === response.status) continue;
    if (!allowed.includes(response.status)) {
      if (!(fact[5].startsWith('HTML') && response.status === 302))
        found.push(`${nameOf(route)}: ${response.status}, not ${fact[4]}: ${text.slice(0, 200)}`);
      continue;
    }
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body = isJson ? JSON.parse(text) : text;
    found.push(...(judge.faults(fact[5], nameOf(route), body) ?? []));
    if (isJson) found.push(...ownFaults(nameOf(route), body));
  }
  for (const name of AS_CHIEF) {
    const [method = '', path = ''] = name.split(' ');
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${world.chief.token}` },
    });
    const body = await response.json();
    found.push(...(judge.faults(operations.get(name)?.[5] ?? '', name, body) ?? []), ...ownFaults(name, body));
  }
  assert.deepEqual(found, []);
});

test('every list and every field for entities had a judged entity, or a stated reason for none', () => {
  const { empty } = judge;
  const known = (place: string) => EMPTY[place] ?? EMPTY[place.replace(/^\w+\./, '*.')];
  assert.deepEqual(
    empty.filter((place) => known(place) === undefined),
    [],
  );
  const isEmpty = (name: string) => empty.some((place) => place === name || place.replace(/^\w+\./, '*.') === name);
  assert.deepEqual(
    Object.keys(EMPTY).filter((name) => !isEmpty(name)),
    [],
    'they are not empty any more',
  );
});

test('a Link header leads to adjacent pages of the same list, with parameters that the route knows', async () => {
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

test('every list treats a limit that is not a positive number like a missing one', async () => {
  const isPaged = ({ method, path, query }: AnyRoute) =>
    method === 'GET' && path.startsWith('/api/') && query?.properties?.limit?.lenient === true;
  const found: string[] = [];
  const paged = allRoutes.filter(isPaged);
  for (const route of paged) {
    const sizes = [];
    for (const more of [undefined, 'limit=0', 'limit=undefined']) {
      const response = await ask(route, more);
      sizes.push(`${response.status} ${(await response.text()).length}`);
    }
    const isWhole = nameOf(route) === 'GET /api/v1/lists/:id/accounts';
    if (!isWhole && new Set(sizes).size > 1) found.push(`${nameOf(route)}: ${sizes.join(', ')}`);
  }
  assert.ok(paged.length > 30);
  assert.deepEqual(found, []);
});
