import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostOf } from '../../../../actors/federation/reading/uris.js';
import { audienceOf, countOf, idOf, idsOf, textOf, timeOf } from '../../../../actors/federation/reading/values.js';

const PUBLIC = 'https://www.w3.org/ns/activitystreams#Public';
const followers = 'https://far.example/users/ann/followers';
const eve = 'https://evil.example/users/eve';

test('to and cc have the visibility that Mastodon reads in them', () => {
  for (const [to, cc, visibility] of [
    [PUBLIC, followers, 'public'],
    ['as:Public', [], 'public'],
    [[followers], ['Public'], 'unlisted'],
    [{ id: PUBLIC }, undefined, 'public'],
    [[followers, eve], [], 'private'],
    [[], followers, 'private'],
    [eve, [], 'direct'],
    [undefined, undefined, 'direct'],
    [7, { a: 1 }, 'direct'],
  ] as const) {
    assert.equal(audienceOf(to, cc, followers).visibility, visibility, JSON.stringify([to, cc]));
  }
});

test('those addressed one by one are named once, without the public and the followers', () => {
  assert.deepEqual(
    audienceOf([PUBLIC, eve, 'HTTPS://Evil.example/users/eve'], [followers, 7, eve], followers).addressed,
    [eve],
  );
  const many = Array.from({ length: 10_000 }, (_, n) => `https://far.example/${n}`);
  assert.equal(audienceOf(many, many, undefined).addressed.length, 500);
});

test('an address is read from a text, an object or a list with one of them', () => {
  for (const value of [eve, { id: eve }, [eve], [{ id: eve, type: 'Person' }]]) assert.equal(idOf(value), eve);
  for (const value of [undefined, null, 7, {}, [], [eve, eve], { id: 7 }, 'mailto:eve@evil.example', 'x'.repeat(9e5)]) {
    assert.equal(idOf(value), undefined);
  }
  assert.deepEqual(idsOf([eve, { id: eve }, 7, followers]), [eve, followers]);
  assert.equal(hostOf('https://BÜCHER.example.:8443/x'), 'xn--bcher-kva.example:8443');
});

test('a time is a full date and time', () => {
  assert.equal(timeOf('2026-01-02T03:04:05Z'), Date.UTC(2026, 0, 2, 3, 4, 5));
  assert.equal(timeOf('2026-01-02T03:04:05.678+01:00'), Date.UTC(2026, 0, 2, 2, 4, 5, 678));
  for (const value of [
    '2026',
    'now',
    '2026-13-02T03:04:05Z',
    7,
    null,
    '2026-01-02 03:04:05',
    `2026-01-02T03:04:05.${'1'.repeat(99)}Z`,
  ]) {
    assert.equal(timeOf(value), undefined, String(value));
  }
});

test('texts are cut between characters, and counts are whole', () => {
  assert.equal(textOf('abcdef', 3), 'abc');
  assert.equal(textOf('ab😀', 3), 'ab\ufffd');
  assert.equal(textOf({}, 3), '');
  assert.equal(countOf(7), 7);
  for (const value of [-1, 1.5, '7', Number.NaN, 1e300]) assert.equal(countOf(value), undefined);
});
