import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressGuard } from '../../transport/address-guard.js';

const closed = new AddressGuard();

test('an IPv6 address that contains an IPv4 address is not allowed', () => {
  const embedding = ['::7f00:1', '::a00:1', '::ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::7f00:1'];
  assert.deepEqual(
    embedding.filter((address) => closed.mayReach(address)),
    [],
  );
  assert.ok(closed.mayReach('2606:4700::1111') && closed.mayReach('1.1.1.1'));
});

test('a range of the setting may be reached, and nothing beside it', () => {
  const guard = new AddressGuard(['10.1.0.0/16', '192.168.1.1', 'fd00::/8', 'loopback']);
  for (const address of ['10.1.2.3', '192.168.1.1', 'fd00::1', '127.0.0.1', '::1', '::ffff:10.1.2.3'])
    assert.ok(guard.mayReach(address), address);
  for (const address of ['10.2.0.1', '192.168.1.2', 'fc00::1', '169.254.169.254', 'name.example', ''])
    assert.ok(!guard.mayReach(address), address);
});

test('a stored host is checked by its name: addresses, and names of this machine', () => {
  const names = ['localhost', 'a.localhost', 'localhost.', '127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254'];
  for (const name of names) assert.ok(!closed.mayName(name), name);
  const guard = new AddressGuard(['loopback']);
  assert.ok(guard.mayName('localhost') && guard.mayName('[::1]') && !guard.mayName('10.0.0.1'));
  assert.ok(closed.mayName('push.example') && closed.mayName('1.1.1.1'));
});

test('only addresses within the ranges of the setting are exceptions, not public ones and not names', () => {
  const guard = new AddressGuard(['loopback', '10.1.0.0/16']);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '10.1.2.3'])
    assert.ok(guard.isException(host), host);
  for (const host of ['1.1.1.1', '10.2.0.1', 'push.example', '[2606:4700::1111]', ''])
    assert.ok(!guard.isException(host), host);
  assert.ok(!closed.isException('127.0.0.1') && !closed.isException('localhost'));
});
