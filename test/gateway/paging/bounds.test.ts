import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkHeader, linkHeaders, pageBounds } from '../../../gateway/paging/bounds.js';

const list = { baseUrl: 'https://a.example', path: '/api/v1/timelines/public', limit: 20 };

test('Link names both neighbours with the known parameters of the request', () => {
  const header = linkHeader({ ...list, keep: { local: true, remote: undefined }, newest: '9', oldest: '5' });
  assert.equal(
    header,
    '<https://a.example/api/v1/timelines/public?local=true&limit=20&max_id=5>; rel="next", ' +
      '<https://a.example/api/v1/timelines/public?local=true&limit=20&min_id=9>; rel="prev"',
  );
});

test('an unknown side is left out, and without both sides there is no header', () => {
  assert.equal(linkHeader({ ...list, newest: undefined, oldest: undefined }), undefined);
  assert.deepEqual(linkHeaders({ ...list, newest: undefined, oldest: undefined }), {});
  assert.ok(!linkHeader({ ...list, newest: '9', oldest: '5', more: false })?.includes('next'));
});

test('min_id turns a page upwards, and ids are padded to one length', () => {
  assert.deepEqual(pageBounds({ limit: 5, min_id: '7', since_id: '3' }), {
    before: undefined,
    after: '000000000000000007',
    upwards: true,
    limit: 5,
  });
  assert.equal(pageBounds({ limit: 5, since_id: '3' }).upwards, false);
});

test('a bound past all ids stays above them, with or without leading zeros', () => {
  const highest = '999999999999999999';
  assert.equal(pageBounds({ limit: 5, max_id: '9223372036854775807' }).before, highest);
  assert.equal(pageBounds({ limit: 5, min_id: '18446744073709551615' }).after, highest);
  assert.equal(pageBounds({ limit: 5, max_id: '00000000000000000007' }).before, '000000000000000007');
  assert.equal(pageBounds({ limit: 5, max_id: highest }).before, highest);
});
