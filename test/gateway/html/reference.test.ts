import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestServer } from '../../kit/services/server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

const page = async (path: string, headers: Record<string, string> = {}) => {
  const response = await server.send(path, { headers: { accept: 'text/html', ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test('every area that /api lists is a page, and together they show each operation of the document', async () => {
  const list = await page('/api');
  assert.equal(list.status, 200);
  assert.match(list.headers.get('content-type') ?? '', /^text\/html/);
  const areas = [...list.text.matchAll(/href="(\/api\/docs\/\w+)"/g)].map(([, path = '']) => path);
  assert.ok(areas.includes('/api/docs/statuses') && areas.includes('/api/docs/oauth'));
  const texts = new Map<string, string>();
  for (const path of areas) {
    const { status, text } = await page(path);
    assert.equal(status, 200, path);
    assert.equal(text.match(/<h1/g)?.length, 1, path);
    assert.doesNotMatch(text, /<script/);
    texts.set(path, text);
  }
  const all = [...texts.values()].join('');
  const { body } = await server.get('/api/openapi.json');
  for (const [path, operations] of Object.entries<Record<string, object>>(body.paths)) {
    if (!/^\/(?:api\/(?!docs\/)|oauth\/)/.test(path)) continue;
    for (const method of Object.keys(operations))
      assert.ok(all.includes(`<span class="mark">${method.toUpperCase()}</span> ${path}</h2>`), `${method} ${path}`);
  }
});

test('an operation shows its scope, parameters with bounds, answer and errors', async () => {
  const { text } = await page('/api/docs/statuses');
  const post = text
    .split('<section')
    .find((one) => one.includes('</span> /api/v1/statuses</h2>') && one.includes('POST'));
  assert.match(post ?? '', /Scope: write:statuses/);
  assert.match(post ?? '', /<code>visibility<\/code>/);
  assert.match(post ?? '', /at most \d+ characters/);
  assert.match(post ?? '', /href="\/api\/docs\/entities#Status"/);
  assert.match(post ?? '', /Errors: 401, 403, 422, 429, 503/);
});

test('each link to an entity leads to its fields', async () => {
  const { text: entities } = await page('/api/docs/entities');
  const { text: accounts } = await page('/api/docs/accounts');
  for (const [, name = ''] of `${entities}${accounts}`.matchAll(/\/api\/docs\/entities#(\w+)"/g))
    assert.ok(entities.includes(`<section id="${name}"`), name);
  assert.match(entities, /<code>acct<\/code> string/);
});

test('browsers ask again by the ETag, in their language; an unknown area is missing', async () => {
  const first = await page('/api', { 'accept-language': 'de' });
  assert.match(first.text, /<h1>API-Referenz<\/h1>/);
  const headers = { 'accept-language': 'de', 'if-none-match': first.headers.get('etag') ?? '' };
  assert.equal((await page('/api', headers)).status, 304);
  for (const area of ['nothing', '__proto__', 'docs', '%3Cscript%3E', 'a'.repeat(41)])
    assert.equal((await page(`/api/docs/${area}`)).status, 404, area);
});
