import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import { AccountKeys } from '../../../actors/federation/account-keys.js';
import { accountKeys } from '../../../store/federation-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';

const clock = { nowMs: () => 7 };

/** Makes numbered keys, each when the test says so. */
function maker() {
  const steps: (() => void)[] = [];
  let made = 0;
  const make = async () => {
    await new Promise<void>((resolve) => steps.push(resolve));
    made += 1;
    return { privatePem: `private ${made}`, publicPem: `public ${made}` };
  };
  return { steps, make };
}

test('a key is RSA of 2,048 bits, stored with its private part, and equal on all nodes', async () => {
  const tables = new MemoryTables();
  const [one, other] = [new AccountKeys(tables, clock, undefined), new AccountKeys(tables, clock, undefined)];
  const [first, again, others] = await Promise.all([one.publicPem('1'), one.publicPem('1'), other.publicPem('1')]);
  assert.deepEqual([again, others, await other.publicPem('1')], [first, first, first]);
  const key = createPublicKey(first);
  assert.deepEqual([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength], ['rsa', 2_048]);
  const stored = await tables.get(accountKeys, { owner: '1' });
  const derived = createPublicKey(createPrivateKey(stored?.privatePem ?? '')).export({ type: 'spki', format: 'pem' });
  assert.deepEqual([derived, stored?.createdAtMs], [first, 7]);
  assert.notEqual(await one.publicPem('2'), first);
});

test('keys are made one after the other, and a crowd beyond the limit is refused as overload', async () => {
  const { steps, make } = maker();
  const keys = new AccountKeys(new MemoryTables(), clock, undefined, make);
  const crowd = Array.from({ length: 25 }, (_, index) => keys.publicPem(String(index)));
  const settled = Promise.allSettled(crowd);
  for (let made = 0; made < 20; made++) {
    while (steps.length <= made) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(steps.length, made + 1, 'one at a time');
    steps[made]?.();
  }
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 5);
  await Promise.all(
    refused.map((one) =>
      assert.rejects(Promise.reject((one as PromiseRejectedResult).reason), { name: 'Unavailable' }),
    ),
  );
  const last = keys.publicPem('24');
  while (steps.length <= 20) await new Promise((resolve) => setImmediate(resolve));
  steps[20]?.();
  assert.equal(await last, 'public 21', 'a refused owner gets a key later');
});

test('signers wait for their keys, however many are being made', async () => {
  const { steps, make } = maker();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keys = new AccountKeys(new MemoryTables(), clock, undefined, async () => ({ ...(await make()), privatePem }));
  const crowd = Array.from({ length: 30 }, (_, index) => keys.signerOf(String(index), 'x').privateKey());
  for (let made = 0; made < crowd.length; made++) {
    while (steps.length <= made) await new Promise((resolve) => setImmediate(resolve));
    steps[made]?.();
  }
  assert.equal((await Promise.all(crowd)).length, 30);
});

test('a key that another node has stored meanwhile wins', async () => {
  const { steps, make } = maker();
  const tables = new MemoryTables();
  const keys = new AccountKeys(tables, clock, undefined, make);
  const late = keys.publicPem('1');
  while (steps.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const theirs = { privatePem: 'private', publicPem: 'theirs', createdAtMs: 1 };
  await tables.compareAndSet(accountKeys, { owner: '1' }, undefined, theirs);
  steps[0]?.();
  assert.equal(await late, 'theirs');
});

test('a signer names the key of its actor and signs with it, whether or not the key exists already', async () => {
  const keys = new AccountKeys(new MemoryTables(), clock, undefined);
  const signer = keys.signerOf('1', 'https://near.example/users/ada');
  assert.equal(signer.keyId, 'https://near.example/users/ada#main-key');
  const [key, again] = [await signer.privateKey(), await signer.privateKey()];
  assert.equal(key, again, 'parsed once');
  const signature = sign('sha256', Buffer.from('text'), key);
  assert.ok(verify('sha256', Buffer.from('text'), await keys.publicPem('1'), signature));
});

test('a signer whose key cannot be read says so', async () => {
  const failing = { get: () => Promise.reject(new Unavailable('no store')), compareAndSet: assert.fail };
  const signer = new AccountKeys(failing as never, clock, undefined).signerOf('1', 'https://near.example/users/ada');
  await assert.rejects(signer.privateKey(), { name: 'Unavailable' });
});
