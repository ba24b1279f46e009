// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests below examine sources of tests
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyRoute } from '../../gateway/http/route.js';
import { withoutScenario } from './route-scenarios.js';

const routes = [
  'GET /api/v1/planted',
  'POST /api/v1/accounts/:id/plant',
  'GET /api/v1/accounts/:id/plants/:name',
  'DELETE /api/v1/plants/:id',
].map((name) => {
  const [method, path] = name.split(' ');
  return { method, path } as AnyRoute;
});
const left = (...texts: readonly string[]) => withoutScenario(routes, texts).map(({ path }) => path.split('/').at(-1));

test('a route that no test names is found, although other tests name similar routes', () => {
  const others = [
    'get(`/api/v1/plantedtoo`)',
    "get('/api/v1/planted/seeds')",
    'post(`/api/v1/accounts/${id}/${verb}`)',
    "post('/api/v1/accounts/1/plants')",
    'get(`/api/v1/accounts/${id}/plants`)',
    "remove('/api/v1/plants')",
  ];
  assert.deepEqual(left(...others), ['planted', 'plant', ':name', ':id']);
});

test('a route is named by its address, with ids and words put in', () => {
  assert.deepEqual(left("get('/api/v1/planted?limit=1')"), ['plant', ':name', ':id']);
  assert.deepEqual(left("for (const verb of ['plant']) post(`/api/v1/accounts/${id}/${verb}`)"), [
    'planted',
    ':name',
    ':id',
  ]);
  assert.deepEqual(left('post(`/api/v1/accounts/${ada.id}/plant`)'), ['planted', ':name', ':id']);
  assert.deepEqual(left('get(`/api/v1/accounts/12/plants/${name}`)'), ['planted', 'plant', ':id']);
  assert.deepEqual(left('remove(`/api/v1/plants/${id}`)'), ['planted', 'plant', ':name']);
});

test('an address that has a name is put in where the name is', () => {
  const text = "const path = '/api/v1/plants'; remove(`${path}/${id}`); const path = '/api/v1/other';";
  assert.deepEqual(left(text), ['planted', 'plant', ':name']);
});

test('words in one test do not stand for what another puts in', () => {
  assert.deepEqual(left('post(`/api/v1/accounts/${id}/${verb}`)', "'plant'"), ['planted', 'plant', ':name', ':id']);
});
