import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { AddressGuard } from '../../../transport/address-guard.js';
import { WebPushSender } from '../../../transport/push/web-push-sender.js';
import { realClock } from '../real-clock.js';
import { newKeys } from './keys.js';

const script = join(process.cwd(), 'test/scenarios/clients/push_messages.py');

test('http_ece and py-vapid, unmodified, decrypt and verify both encodings', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has them; scripts/test.mjs sets it');
  const keys = newKeys();
  const sender = new WebPushSender({
    ...{ guard: new AddressGuard(['loopback']), userAgent: 'test', clock: realClock },
    ...{ log: { warn: assert.fail, error: assert.fail } },
    keys: async () => keys,
    subject: async () => 'https://example.org',
  });
  const child = spawn(python, [script, keys.publicKey], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const subscriptions = JSON.parse((await lines.next()).value as string);
    for (const subscription of subscriptions) {
      const payload = `${subscription.encoding}: Grüße 🐦`;
      const more = { payload, ttlSeconds: 3_600, urgency: 'high', topic: `t-${subscription.encoding}` } as const;
      assert.deepEqual(await sender.send({ ...subscription, ...more }), { kind: 'sent' });
    }
    const messages = JSON.parse((await lines.next()).value as string);
    for (const encoding of ['aes128gcm', 'aesgcm'])
      assert.deepEqual(messages[encoding], {
        ...{ text: `${encoding}: Grüße 🐦`, ttl: '3600', urgency: 'high', topic: `t-${encoding}` },
      });
    assert.deepEqual(await ended, [0, null]);
  } finally {
    child.kill();
    await sender.close();
  }
});
