import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOK_UPS_MAX, NameCache, type Resolve } from '../../../transport/web/name-cache.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

/** A resolver that answers when the test says so. */
function resolver() {
  const asked: string[] = [];
  const answers: Parameters<Resolve>[2][] = [];
  const resolve: Resolve = (hostname, _options, callback) => {
    asked.push(hostname);
    answers.push(callback);
  };
  const clock = new VirtualClock();
  const names = new NameCache(clock, undefined, resolve);
  const answer = (...[error, found]: Parameters<Parameters<Resolve>[2]>) => answers.shift()?.(error, found);
  const lookUp = (hostname: string) =>
    new Promise((found) => names.resolve(hostname, { all: true }, (error, all) => found(error ?? all)));
  return {
    asked,
    passMs: (ms: number) => clock.advance(ms),
    answer,
    lookUp,
    /** Finds the addresses of a name. */
    async learn(hostname: string) {
      const found = lookUp(hostname);
      answer(null, addresses);
      assert.deepEqual(await found, addresses);
    },
  };
}

const addresses = [{ address: '192.0.2.1', family: 4 }];
const failure = (code: string) => Object.assign(new Error(code), { code });

test('addresses are used for a minute, and concurrent look-ups share one', async () => {
  const { asked, passMs, answer, lookUp } = resolver();
  const both = [lookUp('far.example'), lookUp('FAR.example')];
  answer(null, addresses);
  assert.deepEqual(await Promise.all(both), [addresses, addresses]);
  await passMs(59_999);
  assert.deepEqual(await lookUp('far.example'), addresses);
  assert.equal(asked.length, 1);
  await passMs(1);
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
    await passMs(ms - 1);
    assert.equal(((await lookUp('dead.example')) as { code: string }).code, code);
    assert.equal(asked.length, 1);
    await passMs(1);
    const again = lookUp('dead.example');
    answer(null, addresses);
    assert.deepEqual(await again, addresses);
  }
});

test('known addresses serve while a look-up hangs or fails, for a day, and not once the name is gone', async () => {
  const { asked, passMs, answer, lookUp, learn } = resolver();
  await learn('far.example');
  await passMs(60_000);
  let found: unknown;
  void lookUp('far.example').then((one) => {
    found = one;
  });
  await passMs(499);
  assert.equal(found, undefined);
  await passMs(1);
  assert.deepEqual(found, addresses);
  answer(failure('EAI_AGAIN'), []);
  assert.deepEqual(await lookUp('far.example'), addresses);
  assert.equal(asked.length, 2);
  await passMs(30_000);
  const gone = lookUp('far.example');
  answer(failure('ENOTFOUND'), []);
  assert.equal(((await gone) as { code: string }).code, 'ENOTFOUND');
  await learn('old.example');
  for (let seconds = 60; seconds < 86_400; seconds += 60) {
    await passMs(60_000);
    const failed = lookUp('old.example');
    answer(failure('EAI_AGAIN'), []);
    assert.deepEqual(await failed, addresses, `${seconds} s`);
  }
  await passMs(60_001);
  const late = lookUp('old.example');
  answer(failure('EAI_AGAIN'), []);
  assert.equal(((await late) as { code: string }).code, 'EAI_AGAIN');
});

test('look-ups under way are bounded; further names fail at once, and those that are known serve', async () => {
  const { asked, passMs, lookUp, learn } = resolver();
  await learn('known.example');
  await passMs(60_000);
  for (let number = 0; number < LOOK_UPS_MAX; number++) void lookUp(`silent-${number}.example`);
  assert.equal(((await lookUp('more.example')) as { code: string }).code, 'EAI_AGAIN');
  assert.deepEqual(await lookUp('known.example'), addresses);
  assert.equal(asked.length, 1 + LOOK_UPS_MAX);
});
