import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admit, pinnedLookup, type Resolve, type Target } from '../../../load/clients/target-guard.js';
import { BadPlan } from '../../../load/plan.js';

const names =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const refused = async (url: string, owned?: string, resolve?: Resolve) =>
  assert.rejects(admit(url, owned === undefined ? [] : [owned], resolve), BadPlan, url);

test('loopback may be loaded, in any spelling', async () => {
  for (const host of ['127.0.0.1', '127.255.3.4', '[::1]', '[::ffff:127.0.0.1]', '127.1', '0x7f000001', '2130706433']) {
    const { hostname, addresses } = await admit(`http://${host}:3000`, [], assert.fail);
    assert.deepEqual(
      addresses.map(({ address }) => address),
      [hostname],
    );
  }
  assert.equal((await admit('http://127.1:3000/', [])).origin, 'http://127.0.0.1:3000');
});

test('other addresses may not be loaded, however similar they look', async () => {
  const foreign = ['0.0.0.0', '[::]', '10.0.0.1', '192.168.1.1', '169.254.1.1', '8.8.8.8', '128.0.0.1', '[fe80::1]'];
  for (const host of [...foreign, '[::ffff:10.0.0.1]', '[2001:db8::1]', '[fc00::1]', '0x08080808', '100.64.0.1']) {
    await refused(`http://${host}:3000`);
  }
});

test('a name may be loaded when every address it has is loopback', async () => {
  const both = await admit('http://mine.test:3000', [], names('127.0.0.1', '::1'));
  assert.deepEqual(both.addresses, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
  await refused('http://mixed.test', undefined, names('127.0.0.1', '203.0.113.5'));
  await refused('http://mixed.test', undefined, names('::1', '2001:db8::5'));
  await refused('http://other.test', undefined, names('203.0.113.5'));
  await refused('http://localhost.other.test', undefined, names('203.0.113.5'));
  await refused('http://nobody.test', undefined, names());
  await refused('http://nobody.test', undefined, async () => {
    throw new Error('no such name');
  });
});

test('a remote server may be loaded when exactly its host is named as owned', async () => {
  const there = names('203.0.113.5');
  const { origin } = await admit('https://social.example:8443', ['social.example'], there);
  assert.equal(origin, 'https://social.example:8443');
  await admit('https://social.example', ['Social.Example'], there);
  await admit('http://203.0.113.5', ['203.0.113.5'], assert.fail);
  for (const other of ['example', 'social.example.', 'www.social.example', 'social.example:8443', '*', '', 'yes']) {
    await refused('https://social.example:8443', other, there);
  }
  await refused('http://127.0.0.1:3000', 'social.example');
});

test('several hosts of one server may be named, and every server must be one of them', async () => {
  const there = names('203.0.113.5');
  const hosts = ['one.example', 'two.example'];
  for (const host of hosts) assert.equal((await admit(`https://${host}`, hosts, there)).hostname, host);
  await assert.rejects(admit('https://three.example', hosts, there), { message: /one\.example, two\.example.*three/ });
  await assert.rejects(admit('http://127.0.0.1:3000', hosts), BadPlan);
});

test('names that look like loopback count by the addresses that they resolve to', async () => {
  for (const name of ['localhost.evil.example', '127.0.0.1.nip.io', 'loopback.example', 'localhost.']) {
    await refused(`http://${name}:3000`, undefined, names('203.0.113.5'));
    const { addresses } = await admit(`http://${name}:3000`, [], names('127.0.0.1'));
    assert.deepEqual(addresses, [{ address: '127.0.0.1', family: 4 }]);
  }
});

test('the refusal names the missing flag', async () => {
  await assert.rejects(admit('http://social.example', [], names('203.0.113.5')), {
    message: /social\.example \(203\.0\.113\.5\).*--i-own-this-server social\.example$/,
  });
});

test('only an http or https address without path, query or credentials is accepted', async () => {
  for (const url of [
    '',
    'localhost:3000',
    'ftp://127.0.0.1',
    'http://',
    'http://127.0.0.1/api',
    'http://127.0.0.1/?a',
  ]) {
    await refused(url);
  }
  await refused('http://user:secret@127.0.0.1');
  await refused('http://127.0.0.1@other.test', undefined, names('203.0.113.5'));
  await refused('http://127.0.0.1:3000#other');
});

test('a connection goes only to the addresses found at the start', async () => {
  let asked = 0;
  const target = await admit('http://mine.test', [], async () => {
    asked += 1;
    return [{ address: '127.0.0.1', family: 4 }];
  });
  assert.deepEqual(await lookedUp(target, 'mine.test'), [{ address: '127.0.0.1', family: 4 }]);
  await assert.rejects(lookedUp(target, 'other.test'));
  assert.equal(asked, 1);
});

function lookedUp(target: Target, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    pinnedLookup(target)(name, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}
