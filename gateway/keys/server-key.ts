import { generateKeyPairSync } from 'node:crypto';
import type { Services } from '../http/services.js';
import { sharedKey } from './shared-key.js';

const NAME = 'vapid';

/**
 * Returns the key by which push services identify this instance (RFC 8292): an uncompressed point of P-256, base64url.
 * It is created at the first call, once for a cluster, and never changes.
 * @throws Unavailable when the store or the instance cannot answer
 */
export async function serverKey(services: Services): Promise<string> {
  const pair = await sharedKey(services, NAME, () => JSON.stringify(keyPair()));
  return (JSON.parse(pair) as { publicKey: string }).publicKey;
}

function keyPair(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: privateKey.export({ format: 'jwk' }).d ?? '' };
}
