import assert from 'node:assert/strict';
import { test } from 'node:test';
import webPush from 'web-push';
import { VapidHeaders } from '../../../transport/push/vapid-headers.js';
import { verifyVapid } from '../../kit/network/push-encryption.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';
import { newKeys } from './keys.js';

const HOUR_MS = 3_600_000;

test('a token serves one push service for an hour, and is valid for twelve', async () => {
  const keys = newKeys();
  let subject = 'mailto:first@example.org';
  const clock = new VirtualClock(undefined, Date.now());
  const headers = new VapidHeaders({ keys: async () => keys, subject: async () => subject }, clock);
  const tokenFor = async (origin: string) =>
    (await headers.for(origin, 'aes128gcm', webPush.getVapidHeaders)).authorization;
  const first = await tokenFor('https://one.example');
  subject = 'mailto:second@example.org';
  await clock.advance(HOUR_MS - 1);
  assert.equal(await tokenFor('https://one.example'), first);
  assert.notEqual(await tokenFor('https://two.example'), first);
  await clock.advance(1);
  const second = await tokenFor('https://one.example');
  const claims = verifyVapid({ authorization: second }, 'https://one.example', clock.nowMs() / 1_000);
  assert.equal(claims.subject, 'mailto:second@example.org');
  assert.equal(claims.expiresAtS, Math.floor(clock.nowMs() / 1_000) + 12 * 3_600);
});

test('a failed signature is tried again with the next message', async () => {
  const keys = newKeys();
  let fails = true;
  const source = {
    keys: async () => (fails ? Promise.reject(new Error('no store')) : keys),
    subject: async () => 'https://example.org',
  };
  const headers = new VapidHeaders(source, new VirtualClock(undefined, Date.now()));
  await assert.rejects(headers.for('https://one.example', 'aesgcm', webPush.getVapidHeaders));
  fails = false;
  const { authorization, cryptoKey = '' } = await headers.for('https://one.example', 'aesgcm', webPush.getVapidHeaders);
  assert.equal(verifyVapid({ authorization, 'crypto-key': cryptoKey }, 'https://one.example').key, keys.publicKey);
});
