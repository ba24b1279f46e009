import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalUri, hostOf, originOf } from '../../../../actors/federation/reading/uris.js';

test('addresses of more servers than are cached keep their origins, each time they are read', () => {
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 2_500; number++) {
      const uri = `HTTPS://Far${number}.EXAMPLE.:443/Users/${number}?a=B#c`;
      assert.equal(originOf(uri), `https://far${number}.example`);
      assert.equal(hostOf(uri), `far${number}.example`);
      assert.equal(canonicalUri(uri), `https://far${number}.example/Users/${number}?a=B#c`);
    }
  }
});

test('addresses that are none, and those with long names, are read alike each time', () => {
  const long = `https://${'a.'.repeat(200)}example/x`;
  const first = originOf(long);
  for (let round = 0; round < 2; round++) {
    for (const none of ['https://[::1/x', 'https://exa<mple/x', 'https://./x', 'https://user@far.example/x'])
      assert.equal(originOf(none), undefined, none);
    assert.equal(originOf(long), first);
    assert.equal(originOf('http://far.example:8080/x'), 'http://far.example:8080');
    assert.equal(originOf('https://far.example:8080/x'), 'https://far.example:8080');
  }
});
