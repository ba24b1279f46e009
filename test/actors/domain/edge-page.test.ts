import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EDGE_PAGE_MAX, type EdgeBounds, edgePage } from '../../../actors/domain/edge-page.js';

const edges = ['1', '2', '3', '4', '5'].map((edgeId) => ({ edgeId }));
const page = (bounds: Partial<EdgeBounds>) => {
  const { edges: found, more } = edgePage(edges, { upwards: false, limit: 2, ...bounds });
  return [found.map(({ edgeId }) => edgeId).join(''), more];
};

test('a page contains the newest entries, and says whether older ones exist', () => {
  assert.deepEqual(page({}), ['54', true]);
  assert.deepEqual(page({ before: '4' }), ['32', true]);
  assert.deepEqual(page({ before: '2' }), ['1', false]);
  assert.deepEqual(page({ limit: 5 }), ['54321', false]);
});

test('a page upwards contains the entries next above, and any other the newest above', () => {
  assert.deepEqual(page({ after: '1', upwards: true }), ['32', true]);
  assert.deepEqual(page({ after: '1' }), ['54', true]);
  assert.deepEqual(page({ after: '1', before: '3' }), ['2', false]);
});

test('no page exceeds the maximum', () => {
  const many = Array.from({ length: EDGE_PAGE_MAX + 1 }, (_, n) => ({ edgeId: String(n).padStart(5, '0') }));
  const found = edgePage(many, { upwards: false, limit: many.length });
  assert.deepEqual([found.edges.length, found.more], [EDGE_PAGE_MAX, true]);
});
