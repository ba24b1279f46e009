import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Made } from '../../bench/accounts.js';
import { byId, isPage, type Listed, oneOf } from '../../bench/lists/listed.js';

const person = (id: string): Made => ({ id, username: `user${id}`, token: '' });
const [ada, ben] = [person('1'), person('2')];
const listed: Listed = {
  name: 'statuses of an account',
  route: '/api/v1/accounts/:id/statuses',
  length: 3,
  is: ({ account, favourited }, { reader }) => oneOf([ada])(account) && favourited === (reader === ben),
  falls: byId,
};
const status = (id: string, more: object = {}) => ({ id, account: { id: '1' }, favourited: true, ...more });
const page = [status('9'), status('8'), status('7')];

test('a page is right only if it is whole, each item once, in order, from the requested list and as its reader sees it', () => {
  assert.equal(isPage(listed, ben, 0, page), true);
  const wrong = {
    'one is missing': page.slice(1),
    'one too many': [...page, status('6')],
    'one twice': [status('9'), status('8'), status('8')],
    'an id is missing': [status('9'), status('8'), { ...status('7'), id: undefined }],
    'out of order': [status('8'), status('9'), status('7')],
    'one of somebody else': [status('9'), status('8', { account: { id: '2' } }), status('7')],
    'as another reader sees it': [status('9'), status('8'), status('7', { favourited: false })],
  };
  for (const [what, answer] of Object.entries(wrong)) assert.equal(isPage(listed, ben, 0, answer), false, what);
  assert.equal(isPage(listed, ada, 0, page), false, 'another reader');
});

test('the check of an item gets its index, and without a known order any order is right', () => {
  const inTurn: Listed = { ...listed, is: ({ id }, { index, place }) => id === String(9 - place - index) };
  assert.deepEqual([isPage(inTurn, ben, 0, page), isPage(inTurn, ben, 1, page)], [true, false]);
  const { falls: _, ...anyOrder } = listed;
  assert.equal(isPage(anyOrder, ben, 0, page.toReversed()), true);
});
