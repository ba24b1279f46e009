import { generateKeyPairSync } from 'node:crypto';
import { isProblem, Unavailable } from '../../actors/domain/problem.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { Services } from '../services.js';
import { putEntry } from './changes.js';

const NAME = 'vapid';

/**
 * The key by which push services know this instance (RFC 8292): an uncompressed point of P-256, base64url. It is made
 * when it is asked for first, once for a cluster, and stays.
 * @throws Unavailable when the store or the instance cannot answer
 */
export async function serverKey(services: Services): Promise<string> {
  const known = publicKeyIn((await services.entries.of('keys')).find(({ key }) => key === NAME));
  if (known !== undefined) return known;
  const text = { text: JSON.stringify(keyPair()), hint: '' };
  // Made elsewhere meanwhile, of which the news may be on their way for long: then this is the other's.
  const put = await putEntry(services, '', { collection: 'keys', key: NAME, text });
  const held = isProblem(put) ? undefined : publicKeyIn(put);
  if (held === undefined) throw new Unavailable('the key for push services is not known yet');
  return held;
}

function publicKeyIn(entry: InstanceEntry | undefined): string | undefined {
  return entry?.text === undefined ? undefined : (JSON.parse(entry.text.text) as { publicKey: string }).publicKey;
}

function keyPair(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: privateKey.export({ format: 'jwk' }).d ?? '' };
}
