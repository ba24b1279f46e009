import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Router } from '../../../gateway/http/router.js';

const router = new Router(
  [
    ['GET', '/'],
    ['GET', '/things'],
    ['POST', '/things'],
    ['GET', '/things/:id'],
    ['DELETE', '/things/:id'],
    ['POST', '/things/special'],
    ['GET', '/things/:id/parts/:part'],
    ['GET', '/things/special/parts'],
    ['GET', '/@:name'],
    ['GET', '/@:name/:id'],
    ['GET', '/@:name/parts'],
  ].map(([method, path]) => ({ method: method as 'GET', path: path as string })),
);

function found(method: string, path: string): unknown {
  const match = router.match(method, path);
  if (match.kind === 'route') return [match.route.path, ...match.params];
  return match.kind === 'nothing' ? undefined : match.allow;
}

test('fixed segments win over parameters, and parameters match if the fixed ones lead nowhere', () => {
  assert.deepEqual(found('GET', '/'), ['/']);
  assert.deepEqual(found('GET', '/things'), ['/things']);
  assert.deepEqual(found('HEAD', '/things'), ['/things']);
  assert.deepEqual(found('GET', '/things/7'), ['/things/:id', '7']);
  assert.deepEqual(found('POST', '/things/special'), ['/things/special']);
  assert.deepEqual(found('GET', '/things/special/parts'), ['/things/special/parts']);
  assert.deepEqual(found('GET', '/things/special/parts/2'), ['/things/:id/parts/:part', 'special', '2']);
  assert.deepEqual(found('GET', '/things/%2f'), ['/things/:id', '%2f']);
});

test('a parameter behind an at sign matches only segments with one', () => {
  assert.deepEqual(found('GET', '/@ann'), ['/@:name', 'ann']);
  assert.deepEqual(found('GET', '/@ann/7'), ['/@:name/:id', 'ann', '7']);
  assert.deepEqual(found('GET', '/@ann/parts'), ['/@:name/parts', 'ann']);
  for (const path of ['/ann', '/@', '/@/7', '/ann/7', '/@ann/7/8']) assert.equal(found('GET', path), undefined, path);
});

test('a path without the method names the allowed methods, and an unknown path matches nothing', () => {
  assert.deepEqual(found('PUT', '/things'), ['GET', 'POST']);
  assert.deepEqual(found('PUT', '/things/7'), ['GET', 'DELETE']);
  assert.deepEqual(found('GET', '/things/special'), ['POST']);
  for (const path of [
    '',
    'things',
    '/thing',
    '/things/',
    '/things//parts/2',
    '/things/7/parts',
    '/things/7/parts/2/3',
  ]) {
    assert.equal(found('GET', path), undefined, path);
  }
  assert.equal(found('GET', '/things/:id/parts'), undefined);
});

test('PUT and PATCH match the same route if there is only one of them', () => {
  const changes = new Router([
    { method: 'PATCH', path: '/policy' },
    { method: 'PUT', path: '/things/:id' },
    { method: 'PUT', path: '/both' },
    { method: 'PATCH', path: '/both' },
  ]);
  const met = (method: string, path: string) => {
    const match = changes.match(method, path);
    return match.kind === 'route' ? match.route.method : match.kind;
  };
  assert.deepEqual(
    [met('PUT', '/policy'), met('PATCH', '/policy'), met('POST', '/policy')],
    ['PATCH', 'PATCH', 'wrong_method'],
  );
  assert.deepEqual([met('PUT', '/things/1'), met('PATCH', '/things/1')], ['PUT', 'PUT']);
  assert.deepEqual([met('PUT', '/both'), met('PATCH', '/both')], ['PUT', 'PATCH']);
});
