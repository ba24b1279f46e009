import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayBeCreator, readCreator } from '../../../../actors/domain/servers/attribution.js';
import { codec } from '../../../../proto/codec.js';

const account = {
  ...codec('murmuration.store.AccountRecord').decode(new Uint8Array(0)),
  confirmed: true,
  approved: true,
};
const allowing = (...domains: string[]) => ({ ...account, profile: { attribution: { domains } } as never });

test('the author of a page is read from user@host, with or without a leading @', () => {
  for (const text of ['@ann@Far.example', 'ann@far.example', ' @ann@far.example '])
    assert.deepEqual(readCreator(text), { username: 'ann', domain: 'far.example' });
  for (const text of ['', '@', 'ann', '@ann', '@ann@', '@@far.example', 'https://far.example/@ann', 'a b@far.example'])
    assert.equal(readCreator(text), undefined, text);
  assert.equal(readCreator(`@${'x'.repeat(1_000)}@far.example`), undefined);
});

test('an account allows the domains that it lists and those below them, with and without a port', () => {
  for (const host of ['news.example', 'www.news.example', 'NEWS.example', 'news.example:8443'])
    assert.ok(mayBeCreator(allowing('news.example'), host), host);
  for (const host of ['fakenews.example', 'example', 'news.example.evil.example', ''])
    assert.ok(!mayBeCreator(allowing('news.example'), host), host);
  assert.ok(!mayBeCreator(account, 'news.example'));
  assert.ok(!mayBeCreator({ ...allowing('news.example'), confirmed: false }, 'news.example'));
});
