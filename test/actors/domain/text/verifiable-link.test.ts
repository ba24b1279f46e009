import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifiableLink } from '../../../../actors/domain/text/verifiable-link.js';

test('a value that is one plain link can be verified', () => {
  for (const [value, address] of [
    ['https://example.org', 'https://example.org/'],
    ['http://example.org:8080/~ada?a=1#top', 'http://example.org:8080/~ada?a=1'],
    ['https://EXAMPLE.org/A', 'https://example.org/A'],
  ] as const)
    assert.equal(verifiableLink(value), address);
});

test('a text without a link, with several, or with a deceptive host cannot be verified', () => {
  for (const value of [
    '',
    'example.org',
    'see https://example.org',
    'https://example.org https://example.com',
    'ftp://example.org/',
    'javascript:alert(1)',
    'https://ada@example.org/',
    'https://example.org@evil.example/',
    'https://exаmple.org/',
    'https://\u202egro.elpmaxe/',
    'http://2130706433/',
  ])
    assert.equal(verifiableLink(value), undefined, value);
});
