import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KNOWN_SIGN_INS_MAX } from '../../../actors/account/sign-ins.js';
import { newcomer } from './newcomer.js';

const signIn = (tokenHash: string, addressKey: string, browserKey: string) => ({
  ...{ tokenHash, clientId: 'web', scopes: [], kind: 'session' },
  signIn: { address: `address of ${addressKey}`, browser: `name of ${browserKey}`, addressKey, browserKey },
});

test('the first sign-in is no news; a new address or browser is, once', () => {
  const all = [
    signIn('1', 'home', 'fox'),
    signIn('2', 'home', 'fox'),
    signIn('3', 'work', 'fox'),
    signIn('4', 'work', 'fox'),
    signIn('5', 'home', 'chrome'),
    signIn('6', 'work', 'chrome'),
  ];
  let account = newcomer();
  for (const one of all) account = account.when('issueToken', one);
  const news = account.events.flatMap((event) => (event.type === 'signedInAnew' ? [event] : []));
  assert.deepEqual(
    news.map(({ address }) => address),
    [undefined, 'address of work', 'address of home'],
  );
});

test('an account knows a bounded number of addresses and browsers, and forgets the oldest', () => {
  let account = newcomer();
  for (let n = 0; n <= KNOWN_SIGN_INS_MAX; n++) account = account.when('issueToken', signIn(`${n}`, `a${n}`, `b${n}`));
  const { signInAddresses, signInBrowsers } = account.state;
  assert.deepEqual([signInAddresses.size, signInBrowsers.size], [KNOWN_SIGN_INS_MAX, KNOWN_SIGN_INS_MAX]);
  assert.deepEqual([signInAddresses.has('a0'), signInAddresses.has(`a${KNOWN_SIGN_INS_MAX}`)], [false, true]);
});
