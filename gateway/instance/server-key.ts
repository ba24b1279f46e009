import { generateKeyPairSync } from 'node:crypto';
import { isProblem, Unavailable } from '../../actors/domain/problem.js';
import type { Services } from '../services.js';
import { putEntry } from './changes.js';

const NAME = 'vapid';
/** Another node has made it: its news are on their way. */
const LOOKS_MAX = 40;
const LOOK_EVERY_MS = 50;

/**
 * The key by which push services know this instance (RFC 8292): an uncompressed point of P-256, base64url. It is made
 * when it is asked for first, once for a cluster, and stays.
 * @throws Unavailable when the store cannot answer
 */
export async function serverKey(services: Services): Promise<string> {
  const known = await publicKey(services);
  if (known !== undefined) return known;
  const made = keyPair();
  const text = { text: JSON.stringify(made), hint: '' };
  const put = await putEntry(services, '', { collection: 'keys', key: NAME, text });
  if (!isProblem(put)) return made.publicKey;
  for (let look = 0; look < LOOKS_MAX; look++) {
    const theirs = await publicKey(services);
    if (theirs !== undefined) return theirs;
    await new Promise<void>((resolve) => void services.clock.after(LOOK_EVERY_MS, resolve));
  }
  throw new Unavailable('the key for push services is not known yet');
}

async function publicKey({ entries }: Services): Promise<string | undefined> {
  const entry = (await entries.of('keys')).find(({ key }) => key === NAME);
  return entry?.text === undefined ? undefined : (JSON.parse(entry.text.text) as { publicKey: string }).publicKey;
}

function keyPair(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: privateKey.export({ format: 'jwk' }).d ?? '' };
}
