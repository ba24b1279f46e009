import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOMAIN_BLOCKS_MAX } from '../../../actors/account/domain-blocks.js';
import { domainName } from '../../../actors/domain/servers/domain-name.js';
import { newcomer } from './newcomer.js';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const bad = { domain: 'Bad.Example' };
const page = { upwards: false, limit: 10 };

test('a domain is blocked once, its follows end, and it is listed until it is unblocked', () => {
  const alice = newcomer().when('blockDomain', bad).when('blockDomain', { domain: 'bad.example.' });
  assert.deepEqual(types(alice.events), ['domainBlocked', 'domainParted']);
  const { domains } = alice.when('domainBlocks', page).reply as unknown as { domains: { domain: string }[] };
  assert.deepEqual(
    domains.map(({ domain }) => domain),
    ['bad.example'],
  );
  const sources = alice.when('sources', {}).reply as unknown as { screened: boolean };
  assert.equal(sources.screened, true);
  const ended = alice.when('unblockDomain', bad).when('unblockDomain', bad);
  assert.deepEqual([types(ended.events).slice(2), ended.state.blockedDomains.size], [['domainUnblocked'], 0]);
});

test('parting from a domain leaves no state', () => {
  const alice = newcomer().when('partFromDomain', { ...bad, following: false });
  assert.deepEqual([types(alice.events), alice.state.blockedDomains.size], [['domainParted'], 0]);
});

test('a domain is normalised, and an invalid one is refused', () => {
  for (const [written, name] of [
    ['Bad.Example', 'bad.example'],
    ['bad.example.', 'bad.example'],
    [' https://bad.example/ ', 'bad.example'],
    ['@bad.example', 'bad.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['bad.example:3000', 'bad.example:3000'],
    ['my_host.bad.example', 'my_host.bad.example'],
    ['localhost', 'localhost'],
  ] as const)
    assert.equal(domainName(written), name, written);
  for (const none of [
    '',
    '.',
    'a b',
    'a..b',
    'a/b',
    'u@a.b',
    'a.b:x',
    'a.b:1:2',
    '-a.b',
    'x'.repeat(64),
    `${'a.'.repeat(127)}aa`,
  ])
    assert.equal(domainName(none), undefined, none);
  const refused = newcomer().when('blockDomain', { domain: 'a b' });
  assert.deepEqual([refused.lastProblem?.problem, refused.events], ['invalid', []]);
});

test('the number of blocked domains is bounded', () => {
  const full = newcomer(({ blockedDomains }) => {
    for (let n = 0; n < DOMAIN_BLOCKS_MAX; n++) blockedDomains.set(`${n}.example`, `${n}`);
  });
  assert.equal(full.when('blockDomain', bad).lastProblem?.problem, 'limit_reached');
});
