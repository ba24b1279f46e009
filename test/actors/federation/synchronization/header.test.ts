import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  followersDigest,
  readSynchronization,
  synchronizationHeader,
} from '../../../../actors/federation/synchronization/header.js';

const content = {
  collectionId: 'https://far.example/users/ann/followers',
  url: 'https://far.example/users/ann/followers_synchronization',
  digest: 'ab'.repeat(32),
};

test('the digest is the XOR of the hashes of the addresses, whatever their order, each once', () => {
  const [one, two] = ['https://here.example/users/ann', 'https://here.example/users/ben'];
  assert.equal(followersDigest([]), '0'.repeat(64));
  assert.equal(followersDigest([one]), createHash('sha256').update(one).digest('hex'));
  assert.equal(followersDigest([one, two]), followersDigest([two, one, two]));
  // The example of FEP-8fcf.
  const example = ['https://testing.example.org/users/1', 'https://testing.example.org/users/2'];
  assert.equal(followersDigest(example), 'c33f48cd341ef046a206b8a72ec97af65079f9a3a9b90eef79c5920dce45c61f');
});

test('a header is read as it is written', () => {
  assert.deepEqual(readSynchronization(synchronizationHeader(content)), content);
  assert.deepEqual(readSynchronization(`digest="${content.digest}",url="x",collectionId="y"`), {
    ...{ digest: content.digest, url: 'x', collectionId: 'y' },
  });
});

test('headers with missing, repeated, malformed or overlong parts say nothing', () => {
  const written = synchronizationHeader(content);
  for (const hostile of [
    '',
    'digest',
    written.replace('collectionId', 'other'),
    `${written}, url="https://evil.example/"`,
    written.replace(content.digest, 'ab'),
    written.replace(content.digest, 'AB'.repeat(32)),
    written.replace(content.url, ''),
    `${written}, more="${'x'.repeat(5_000)}"`,
    '"'.repeat(4_000),
  ])
    assert.equal(readSynchronization(hostile), undefined, hostile.slice(0, 80));
});
