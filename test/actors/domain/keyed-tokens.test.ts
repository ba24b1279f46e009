import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedTokens } from '../../../actors/domain/keyed-tokens.js';

const tokens = new KeyedTokens(Buffer.alloc(32, 1));
const link = { account: '123', nonce: 'abcdefghijklmnopqrstuv' };

test('a token is read only with its key and purpose', () => {
  const token = tokens.make('reset', link);
  assert.deepEqual(tokens.read('reset', token), link);
  assert.equal(token, new KeyedTokens(Buffer.alloc(32, 1)).make('reset', link));
  assert.match(token, /^[\w.-]+$/, 'needs no escapes in a query');
  assert.equal(tokens.read('confirmation', token), undefined);
  assert.equal(new KeyedTokens(Buffer.alloc(32, 2)).read('reset', token), undefined);
});

test('changed, shortened and invented tokens are refused', () => {
  const token = tokens.make('reset', link);
  const [account = '', nonce = '', mac = ''] = token.split('.');
  const invented = [
    '',
    '..',
    account,
    `${account}.${nonce}`,
    `124.${nonce}.${mac}`,
    `${account}.${nonce.replace('a', 'b')}.${mac}`,
    `${account}.${nonce}.${'A'.repeat(43)}`,
    `${account}.${nonce}.${mac.slice(0, -1)}`,
    `${token}A`,
    ` ${token}`,
    `${token}\n`,
    `${account}.${nonce}.${mac}.${mac}`,
    `${'1'.repeat(1_000_000)}.${nonce}.${mac}`,
  ];
  for (const wrong of invented) assert.equal(tokens.read('reset', wrong), undefined, wrong.slice(0, 100));
});
