import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fits, listPaths, WITHOUT_ROW } from '../../bench/lists/list-routes.js';
import { allRoutes } from '../../gateway/routes/index.js';

/** Returns the routes whose lists the benchmarks read; `benchListed` checks each address against them. */
async function measured(): Promise<Set<string>> {
  const files = (await readdir(join(process.cwd(), 'bench/lists'))).filter((name) => name.endsWith('lists.ts'));
  const texts = await Promise.all(files.map((name) => readFile(join(process.cwd(), 'bench/lists', name), 'utf8')));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\broute: '([^']+)'/g)].map((match) => match[1] ?? '')));
}

test('every list of the REST interface has a row among the benchmarks, or a reason why it has none', async () => {
  const [paths, rows] = [listPaths(allRoutes), await measured()];
  assert.ok(paths.length > 70);
  const without = paths.filter((path) => !rows.has(path) && !Object.hasOwn(WITHOUT_ROW, path));
  assert.deepEqual(without, []);
  const pointless = Object.keys(WITHOUT_ROW).filter((path) => rows.has(path) || !paths.includes(path));
  assert.deepEqual(pointless, [], 'reasons for what needs none');
  const unknown = [...rows].filter((path) => !allRoutes.some((route) => route.path === path && route.method === 'GET'));
  assert.deepEqual(unknown, [], 'rows of routes that do not exist');
});

test('a new list without a row is found, by its answer or by its limit', () => {
  const planted = [
    { method: 'GET', path: '/api/v1/planted', query: { properties: { limit: {} } } },
    { method: 'GET', path: '/api/v1/accounts/:id/planted', answer: { type: 'array' } },
    { method: 'POST', path: '/api/v1/planted', query: { properties: { limit: {} } } },
    { method: 'GET', path: '/api/v1/planted/:id', answer: { type: 'object' } },
  ] as unknown as typeof allRoutes;
  assert.deepEqual(listPaths(planted), ['/api/v1/planted', '/api/v1/accounts/:id/planted']);
});

test('an address does not match other routes', () => {
  assert.ok(fits('/api/v1/lists/:id/accounts', '/api/v1/lists/7/accounts?limit=20'));
  assert.ok(!fits('/api/v1/lists/:id/accounts', '/api/v1/lists/7'));
  assert.ok(!fits('/api/v1/lists', '/api/v1/lists/7'));
});
