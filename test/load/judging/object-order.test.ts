import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObjectOrder } from '../../../load/judging/object-order.js';
import { Findings } from '../../../load/judging/verdicts.js';

/** Returns the findings about activities that arrive in this order; `Update 2` is that of the second minute. */
function found(...arrivals: string[]): string[] {
  const findings = new Findings();
  const order = new ObjectOrder('peer', findings);
  for (const [number, arrival] of arrivals.entries()) {
    const [type = '', minute = '', id = `${number}`] = arrival.split(' ');
    const object = minute === '' ? 'post' : { id: 'post', updated: `2026-01-01T12:0${minute}:00Z` };
    order.see({ id, type, object });
  }
  return findings.examples.map(({ verdict, post, detail }) => `${verdict} ${post}: ${detail}`);
}

test('activities in order, left out or repeated are no fault', () => {
  assert.deepEqual(found('Create', 'Update 1', 'Update 2', 'Delete'), []);
  assert.deepEqual(found('Create', 'Update 2', 'Delete'), []);
  assert.deepEqual(found('Delete'), []);
  assert.deepEqual(found('Update 1'), []);
  assert.deepEqual(found('Create 0 a', 'Update 1 b', 'Create 0 a', 'Delete 0 c', 'Update 1 b', 'Like'), []);
});

test('an earlier activity after a later one is out of order', () => {
  assert.deepEqual(found('Update 1', 'Create'), ['outOfOrder post: Create came after Update']);
  assert.deepEqual(found('Create', 'Delete', 'Update 1'), ['outOfOrder post: Update came after Delete']);
  assert.deepEqual(found('Delete', 'Create'), ['outOfOrder post: Create came after Delete']);
  assert.deepEqual(found('Create', 'Update 2', 'Update 1'), [
    'outOfOrder post: an older Update came after a newer one',
  ]);
});

test('objects do not disturb each other', () => {
  const findings = new Findings();
  const order = new ObjectOrder('peer', findings);
  for (let number = 0; number < 50_000; number++) order.see({ id: `d${number}`, type: 'Delete', object: `${number}` });
  for (const object of [{ id: '49999' }, { id: 'new' }, null, 7, {}])
    order.see({ id: `c ${JSON.stringify(object)}`, type: 'Create', object });
  assert.equal(findings.counts.outOfOrder, 1);
});
