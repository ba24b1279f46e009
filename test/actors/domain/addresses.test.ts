import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountUri,
  accountUrl,
  acctOf,
  isLocal,
  localName,
  readLocalUri,
  statusUri,
  statusUrl,
} from '../../../actors/domain/addresses.js';

const BASE = 'https://here.example';
const ann = { username: 'ann', domain: '' };

test('an account or status without a domain belongs to this server', () => {
  assert.deepEqual([isLocal(ann), isLocal({}), isLocal({ domain: 'far.example' })], [true, true, false]);
  assert.equal(acctOf(ann), 'ann');
  assert.equal(acctOf({ ...ann, domain: 'far.example' }), 'ann@far.example');
});

test('the addresses of local accounts, statuses and reblogs follow from names and ids', () => {
  assert.equal(accountUri(BASE, ann), 'https://here.example/users/ann');
  assert.equal(accountUrl(BASE, ann), 'https://here.example/@ann');
  assert.equal(statusUri(BASE, { id: '7' }, ann), 'https://here.example/users/ann/statuses/7');
  assert.equal(statusUrl(BASE, { id: '7' }, ann), 'https://here.example/@ann/7');
  assert.equal(
    statusUri(BASE, { id: '8', reblogOfId: '7' }, ann),
    'https://here.example/users/ann/statuses/8/activity',
  );
});

test('a name is local without a domain, or with the domain of this server in any case', () => {
  for (const name of ['ann', '@ann', 'Ann@HERE.example', '@ann@here.example'])
    assert.equal(localName(name, 'Here.Example'), 'ann', name);
  for (const name of ['ann@far.example', 'ann@', 'ann@here.example@far.example', '@@ann'])
    assert.equal(localName(name, 'here.example'), undefined, name);
});

test('an account and a status of another server have the addresses that it states', () => {
  const origin = { uri: 'https://far.example/ap/5', url: 'https://far.example/bea' };
  const bea = { username: 'bea', domain: 'far.example', origin };
  assert.deepEqual([accountUri(BASE, bea), accountUrl(BASE, bea)], [origin.uri, origin.url]);
  const note = { id: '7', origin: { uri: 'https://far.example/ap/6', url: '' } };
  assert.deepEqual([statusUri(BASE, note, bea), statusUrl(BASE, note, bea)], Array(2).fill('https://far.example/ap/6'));
  const boost = { id: '8', reblogOfId: '7' };
  assert.equal(statusUri(BASE, boost, ann), 'https://here.example/users/ann/statuses/8/activity');
});

test('addresses of this server are read back into names and ids', () => {
  const read = (path: string) => readLocalUri(BASE, `${BASE}${path}`);
  assert.deepEqual(read('/users/ann'), { kind: 'account', username: 'ann' });
  assert.deepEqual(read('/@ann'), { kind: 'account', username: 'ann' });
  assert.deepEqual(read('/users/ann/followers'), { kind: 'followers', username: 'ann' });
  assert.deepEqual(read('/users/ann/statuses/7'), { kind: 'status', username: 'ann', id: '7' });
  assert.deepEqual(read('/@ann/7'), { kind: 'status', username: 'ann', id: '7' });
  for (const path of [
    '',
    '/',
    '/users/',
    '/users/ann/inbox',
    '/users/ann/statuses/7/activity',
    '/users/a%2fb',
    '/@ann/x',
  ])
    assert.equal(read(path), undefined, path);
  for (const uri of [
    'https://here.example.evil/users/ann',
    'http://here.example/users/ann',
    'https://x@here.example/@a',
  ])
    assert.equal(readLocalUri(BASE, uri), undefined, uri);
});
