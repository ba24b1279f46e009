import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameCache, type Resolve } from '../../../transport/web/name-cache.js';

/** A resolver that answers when the test says so. */
function resolver() {
  let nowMs = 0;
  const asked: string[] = [];
  const answers: Parameters<Resolve>[2][] = [];
  const resolve: Resolve = (hostname, _options, callback) => {
    asked.push(hostname);
    answers.push(callback);
  };
  const names = new NameCache({ monotonicMs: () => nowMs }, undefined, resolve);
  return {
    asked,
    passMs: (ms: number) => {
      nowMs += ms;
    },
    answer: (...[error, addresses]: Parameters<Parameters<Resolve>[2]>) => answers.shift()?.(error, addresses),
    lookUp: (hostname: string) =>
      new Promise((found) => names.resolve(hostname, { all: true }, (error, addresses) => found(error ?? addresses))),
  };
}

const addresses = [{ address: '192.0.2.1', family: 4 }];
const failure = (code: string) => Object.assign(new Error(code), { code });

test('addresses are used for a minute, and concurrent look-ups share one', async () => {
  const { asked, passMs, answer, lookUp } = resolver();
  const both = [lookUp('far.example'), lookUp('FAR.example')];
  answer(null, addresses);
  assert.deepEqual(await Promise.all(both), [addresses, addresses]);
  passMs(59_999);
  assert.deepEqual(await lookUp('far.example'), addresses);
  assert.equal(asked.length, 1);
  passMs(1);
  const again = lookUp('far.example');
  answer(null, []);
  assert.deepEqual(await again, []);
});

test('a name that does not exist counts as dead for ten minutes, a failed look-up for half a minute', async () => {
  for (const [code, ms] of [
    ['ENOTFOUND', 600_000],
    ['EAI_AGAIN', 30_000],
  ] as const) {
    const { asked, passMs, answer, lookUp } = resolver();
    const first = lookUp('dead.example');
    answer(failure(code), []);
    assert.equal(((await first) as { code: string }).code, code);
    passMs(ms - 1);
    assert.equal(((await lookUp('dead.example')) as { code: string }).code, code);
    assert.equal(asked.length, 1);
    passMs(1);
    const again = lookUp('dead.example');
    answer(null, addresses);
    assert.deepEqual(await again, addresses);
  }
});
