import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem, Unavailable } from '../../../actors/domain/problem.js';
import { type AnyRoute, route } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { injector } from '../../kit/network/injection.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { GatewayFixture } from '../http/gateway-fixture.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

/** A browser's header. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
/** Headers that libraries of HTTP send by themselves: Java's HttpURLConnection, axios, and most others. */
const JAVA = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
const OF_LIBRARIES = [JAVA, 'application/json, text/plain, */*', '*/*', 'application/json', ''];
const isApi = ({ path }: Pick<AnyRoute, 'path'>) => path.startsWith('/api/') && !path.startsWith('/api/docs/');
const isEmbed = ({ path }: AnyRoute) => path.endsWith('/embed');
/** Answers of the API in another format for programs. */
const NO_JSON = /^\/api\/v1\/streaming|\/media_index$/;

let server: TestServer;
let ann: Person;
let post: string;
let cookie: string;
before(async () => {
  server = await TestServer.start({ BASE_URL: 'https://social.example' });
  await makeUser(server, 'chief', 'owner');
  ann = await server.person('ann');
  post = await ann.says('a post #birds');
  const visitor = new Visitor(server);
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login: 'chief', password: PASSWORD });
  cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
});
after(() => server?.stop());

const pathOf = ({ path }: AnyRoute, id = post) =>
  path.replace('@:name', '@ann').replace('/users/:name', '/users/ann').replace(':id', id).replace(/:\w+/g, 'birds');

async function answer(entry: AnyRoute, headers: Readonly<Record<string, string>>, id = post) {
  const { method } = entry;
  const response = await server.send(pathOf(entry, id), {
    method,
    redirect: 'manual',
    headers: { accept: BROWSER, ...headers },
    ...(method !== 'GET' && { body: new URLSearchParams({ odd: 'x' }) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('every route of the API answers a program with JSON, in success and refusal', async () => {
  const own = { authorization: `Bearer ${ann.token}` };
  let judged = 0;
  for (const entry of allRoutes.filter(isApi)) {
    if (NO_JSON.test(entry.path)) continue;
    for (const [headers, id] of [
      [{ accept: JAVA }, post],
      [{ 'sec-fetch-mode': 'cors' }, post],
      [own, 'nonsense'],
      [own, ann.id],
    ] as const) {
      const { status, headers: got, text } = await answer(entry, headers, id);
      const what = `${entry.method} ${entry.path} ${status}`;
      if (status < 300 || status >= 400)
        assert.match(got.get('content-type') ?? '', /^application\/(?:[\w.-]+\+)?json/, what);
      assert.doesNotThrow(() => JSON.parse(text || '{}'), what);
      assert.equal(got.get('set-cookie'), null, what);
      assert.equal(got.get('x-content-type-options'), 'nosniff', what);
      judged++;
    }
  }
  assert.ok(judged > 500, String(judged));
});

test('every address answers a program with JSON, whatever its library prefers by default', async () => {
  const forPrograms = /^\/(?:api\/v|oauth\/userinfo|nodeinfo|\.well-known\/(?!change-password|host-meta$))/;
  const routes = allRoutes.filter(
    ({ method, path }) => method === 'GET' && forPrograms.test(path) && !NO_JSON.test(path),
  );
  assert.ok(routes.length > 100, String(routes.length));
  for (const entry of routes)
    for (const accept of OF_LIBRARIES) {
      const { status, headers } = await answer(entry, { accept });
      if (status >= 300 && status < 400) continue;
      assert.match(headers.get('content-type') ?? '', /^application\/(?:[\w.-]+\+)?json/, `${entry.path} ${accept}`);
    }
  for (const accept of OF_LIBRARIES) {
    const refused = await server.send('/oauth/token', { method: 'POST', headers: { accept } });
    assert.match(refused.headers.get('content-type') ?? '', /^application\/json/, accept);
  }
});

test('every page binds scripts, frames and forms to this server, signed in and out', async () => {
  let judged = 0;
  for (const entry of allRoutes)
    for (const headers of [{}, { cookie }]) {
      const { status, headers: got } = await answer(entry, headers);
      const what = `${entry.method} ${entry.path} ${status}`;
      assert.equal(got.get('x-content-type-options'), 'nosniff', what);
      if (got.get('content-type')?.startsWith('text/html') !== true) continue;
      const policy = got.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; .*base-uri 'none'/, what);
      assert.doesNotMatch(policy, /unsafe|\*|http:/, what);
      assert.equal(policy.includes("frame-ancestors 'none'"), !(isEmbed(entry) && status === 200), what);
      assert.equal(got.get('x-frame-options'), isEmbed(entry) && status === 200 ? null : 'DENY', what);
      assert.match(policy, /form-action /, what);
      // Applications open these pages in popups, which must keep their opener.
      const opener = /^\/(?:auth|oauth)\//.test(entry.path) ? null : 'same-origin-allow-popups';
      assert.equal(got.get('cross-origin-opener-policy'), opener, what);
      assert.match(got.get('referrer-policy') ?? '', /^(?:same-origin|no-referrer)$/, what);
      assert.equal(got.get('access-control-allow-origin'), null, what);
      assert.match(got.get('strict-transport-security') ?? '', /^max-age=\d{7,}/, what);
      assert.notEqual(got.get('permissions-policy'), null, what);
      if (headers.cookie !== undefined) assert.match(got.get('cache-control') ?? '', /no-store/, what);
      judged++;
    }
  assert.ok(judged > 600, String(judged));
});

test('every cookie is out of reach of scripts, other sites and plain HTTP', async () => {
  let judged = 0;
  for (const entry of allRoutes) {
    const { headers } = await answer(entry, {});
    for (const set of headers.getSetCookie()) {
      assert.match(set, /^[\w]+=[^;]*; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/, entry.path);
      judged++;
    }
  }
  assert.ok(judged >= 3, String(judged));
});

test('an unknown method is a 405 with the methods that there are: a page for people, JSON for programs', async () => {
  for (const [path, accept, isPage] of [
    ['/settings/profile', BROWSER, true],
    ['/auth/sign_in', JAVA, true],
    ['/api/v1/statuses', BROWSER, true],
    ['/api/v1/statuses', JAVA, false],
    ['/api/v1/instance', '*/*', false],
  ] as const) {
    const sent = await server.send(path, { method: 'DELETE', headers: { accept } });
    assert.equal(sent.status, 405, path);
    assert.match(sent.headers.get('allow') ?? '', /GET/);
    assert.match(sent.headers.get('content-type') ?? '', isPage ? /^text\/html/ : /^application\/json/, path);
  }
});

/** Handlers that fail in each way. */
const faulty = (path: string): AnyRoute[] => [
  route({ method: 'GET', path: `${path}/422`, auth: 'none', handle: () => problem('invalid', 'Wrong') }),
  route({ method: 'GET', path: `${path}/429`, auth: 'none', handle: () => problem('rate_limited', 'Later') }),
  route({
    method: 'GET',
    path: `${path}/500`,
    auth: 'none',
    handle: () => {
      throw new Error('a fault');
    },
  }),
  route({
    method: 'GET',
    path: `${path}/503`,
    auth: 'none',
    handle: () => {
      throw new Unavailable('the store is away');
    },
  }),
];

test('each failure is a page with its number for people, and JSON for programs', async () => {
  const fixture = await new GatewayFixture().start([...faulty('/page'), ...faulty('/api/v1')]);
  try {
    const send = injector(() => fixture.server);
    for (const status of [422, 429, 500, 503]) {
      const plain = await send(`/api/v1/${status}`, { headers: { accept: JAVA } });
      assert.equal(plain.status, status);
      assert.equal(typeof ((await plain.json()) as { error: unknown }).error, 'string');
      assert.equal(plain.headers.get('retry-after') !== null, status === 503, String(status));
      for (const path of ['/page', '/api/v1']) {
        const shown = await send(`${path}/${status}`, { headers: { accept: BROWSER } });
        const text = await shown.text();
        assert.equal(shown.status, status);
        assert.match(shown.headers.get('content-type') ?? '', /^text\/html/);
        assert.match(text, /<h1>[^<]+<\/h1><p role="alert">.*href="\/"/s);
        if (status >= 500) assert.ok(text.includes(shown.headers.get('x-request-id') ?? 'none'), 'the id in the log');
        assert.doesNotMatch(text, /a fault|the store is away/);
        assert.equal(shown.headers.get('retry-after') !== null, status === 503, String(status));
      }
    }
  } finally {
    await fixture.server.close();
  }
});
