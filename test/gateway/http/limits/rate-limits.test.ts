import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { isProblem } from '../../../../actors/domain/problem.js';
import { RateLimits } from '../../../../gateway/http/limits/rate-limits.js';
import { RATE_RULES, rateRules } from '../../../../gateway/http/limits/rate-rules.js';
import { putEntry } from '../../../../gateway/settings/changes.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { TestServer } from '../../../kit/services/server.js';
import { sameDayFor } from '../../../kit/time/same-day.js';
import { until } from '../../../kit/time/until.js';
import { realClock } from '../../../transport/real-clock.js';

const READ = { method: 'GET', path: '/api/v1/timelines/home' } as const;
const DELETE = { method: 'DELETE', path: '/api/v1/statuses/:id' } as const;
const nowhere = () => '10.0.0.1';

// Windows of a day begin at midnight.
before(() => sameDayFor(60_000));

test('rules are JSON; malformed ones are refused', () => {
  assert.deepEqual(rateRules('on'), RATE_RULES);
  const some = rateRules('{"token":{"limit":5,"seconds":60}}');
  assert.ok(some !== undefined && some !== 'off');
  assert.equal(some.token.limit, 5);
  assert.equal(rateRules('off'), 'off');
  for (const wrong of [
    'x',
    '[]',
    '{"toe":{"limit":5,"seconds":60}}',
    '{"token":{"limit":0,"seconds":60}}',
    '{"token":5}',
  ])
    assert.equal(rateRules(wrong), undefined, wrong);
});

test('each token and each address has its own counter, and deletions another', async () => {
  const bus = new InProcessHub(realClock).bus('one');
  const rules = { ...RATE_RULES, token: { limit: 3, seconds: 86_400 }, deletes: { limit: 1, seconds: 86_400 } };
  const limits = new RateLimits({ bus, clock: realClock, node: 'one', rules: () => rules });
  const remaining = (token?: string) => limits.take(READ, token, nowhere)?.headers['x-ratelimit-remaining'];
  assert.deepEqual([remaining('a'), remaining('a'), remaining('b'), remaining()], ['2', '1', '2', '299']);
  assert.equal(limits.take(DELETE, 'b', nowhere)?.refused, false);
  assert.equal(limits.take(DELETE, 'b', nowhere)?.refused, true);
  assert.equal(limits.take(READ, 'a', nowhere)?.refused, false);
  assert.equal(limits.take(READ, 'a', nowhere)?.refused, true);
  await limits.close();
});

test('requests to one node count on the others', async () => {
  const hub = new InProcessHub(realClock);
  const rules = { ...RATE_RULES, token: { limit: 10, seconds: 86_400 } };
  const [one, two] = ['one', 'two'].map(
    (node) => new RateLimits({ bus: hub.bus(node), clock: realClock, node, rules: () => rules }),
  ) as [RateLimits, RateLimits];
  for (let asked = 0; asked < 10; asked++) assert.equal(one.take(READ, 'a', nowhere)?.refused, false);
  let tries = 0;
  await until(
    'the other node to refuse',
    async () => {
      tries++;
      return two.take(READ, 'a', nowhere)?.refused || undefined;
    },
    5_000,
  );
  assert.ok(tries > 0);
  await Promise.all([one.close(), two.close()]);
});

test('answers state the remaining allowance, excess requests get 429, and limits change at run time', async () => {
  const server = await TestServer.start({ RATE_LIMITS: '{"token":{"limit":4,"seconds":86400}}' });
  try {
    const ada = await server.person('ada');
    const first = await ada.get('/api/v1/timelines/home');
    assert.deepEqual(
      ['limit', 'remaining'].map((name) => first.headers.get(`x-ratelimit-${name}`)),
      ['4', '3'],
    );
    assert.ok(Date.parse(first.headers.get('x-ratelimit-reset') ?? '') > Date.now());
    assert.equal((await ada.get('/api/v1/statuses/1')).headers.get('x-ratelimit-remaining'), '2', 'refusals count');
    await ada.get('/api/v1/timelines/home');
    await ada.get('/api/v1/timelines/home');
    const refused = await ada.get('/api/v1/timelines/home');
    assert.deepEqual(
      [refused.status, refused.body, refused.headers.get('x-ratelimit-remaining')],
      [429, { error: 'Too many requests' }, '0'],
    );
    assert.equal((await server.get('/api/v1/instance')).headers.get('x-ratelimit-limit'), '300');
    assert.equal((await server.get('/nodeinfo/2.0')).headers.get('x-ratelimit-limit'), null);
    const set = (text: string) =>
      putEntry(server.node.services, '', {
        collection: 'settings',
        key: 'rate_limits',
        replace: true,
        text: { text, hint: '' },
      });
    assert.ok(isProblem(await set('{"token":{"limit":-1}}')));
    const limitOf = async () => (await ada.get('/api/v1/timelines/home')).headers.get('x-ratelimit-limit');
    assert.ok(!isProblem(await set('off')));
    await until('no limit', async () => (await limitOf()) === null || undefined, 5_000);
    assert.ok(!isProblem(await set('{"token":{"limit":100,"seconds":86400}}')));
    await until(
      'the new limit',
      async () => (await ada.get('/api/v1/timelines/home')).status === 200 || undefined,
      5_000,
    );
  } finally {
    await server.stop();
  }
});

test('refusals count for the address, so that nobody can try tokens without end; a server without limits can get some', async () => {
  const server = await TestServer.start();
  try {
    const text = '{"address":{"limit":3,"seconds":86400}}';
    const setting = { collection: 'settings', key: 'rate_limits', replace: true, text: { text, hint: '' } } as const;
    assert.equal((await server.get('/api/v1/instance')).headers.get('x-ratelimit-limit'), null);
    assert.ok(!isProblem(await putEntry(server.node.services, '', setting)));
    const asked = (from: string, path = '/api/v1/timelines/home', token = 'wrong') =>
      server.ask('GET', path, undefined, token, { 'x-forwarded-for': from });
    const isLimited = async () => (await asked('203.0.113.1')).headers.get('x-ratelimit-limit') === '3' || undefined;
    await until('the limit', isLimited, 5_000);
    const seen: number[] = [];
    for (let n = 0; n < 3; n++) seen.push((await asked('203.0.113.2')).status);
    assert.deepEqual(seen, [401, 401, 401]);
    assert.equal((await asked('203.0.113.2')).status, 429);
    assert.equal((await asked('203.0.113.2', '/api/v1/timelines/public?limit=x')).status, 429, 'whatever it is');
    assert.equal((await asked('203.0.113.3')).status, 401, 'another address');
    const ada = await server.person('ada');
    assert.equal(
      (await asked('203.0.113.2', '/api/v1/timelines/home', ada.token)).status,
      200,
      'who is known counts apart',
    );
  } finally {
    await server.stop();
  }
});
