import { generateKeyPairSync } from 'node:crypto';
import type { InstanceEntry } from '../../proto/gen/types.js';
import { isProblem, Unavailable } from '../domain/problem.js';
import type { TypedAsk } from '../runtime/kind.js';
import { INSTANCE_ID, type InstanceCommands } from './commands.js';

/** Access to the stored keys of the instance. */
export interface KeySource {
  readonly entries: { of(collection: 'keys'): Promise<readonly InstanceEntry[]> };
  readonly askInstance: TypedAsk<InstanceCommands>;
}

/**
 * Returns a secret of the instance. It is created at the first call, once for a cluster, and never changes.
 * @throws Unavailable when the store or the instance cannot answer
 */
export async function sharedKey(
  { entries, askInstance }: KeySource,
  name: string,
  make: () => string,
): Promise<string> {
  const known = keyAmong(await entries.of('keys'), name);
  if (known !== undefined) return known;
  // Another node may have created the key before its notification arrives here; the reply then contains that key.
  const text = { text: make(), hint: '' };
  const entry = { collection: 'keys', id: '', key: name, atMs: 0, updatedAtMs: 0, text };
  const put = await askInstance(INSTANCE_ID, 'putEntry', { entry, by: '', replace: false });
  const held = isProblem(put) ? undefined : put.text?.text;
  if (held === undefined) throw new Unavailable(`the key ${name} is not available yet`);
  return held;
}

/** Returns a key among the entries; undefined if it was never created. */
export function keyAmong(keys: readonly InstanceEntry[], name: string): string | undefined {
  return keys.find(({ key }) => key === name)?.text?.text;
}

/** Name of the entry that has the keys for push services. */
const VAPID = 'vapid';

/** A key pair on P-256, base64url: the public key is an uncompressed point. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * Returns the keys by which push services identify this instance (RFC 8292). They are created as `sharedKey` says.
 * @throws Unavailable when the store or the instance cannot answer
 */
export async function vapidKeys(source: KeySource): Promise<VapidKeys> {
  return JSON.parse(await sharedKey(source, VAPID, () => JSON.stringify(newVapidKeys())));
}

/**
 * Returns these keys without creating them: a push subscription exists only after its client has got the public one.
 * @throws Unavailable when the store cannot answer, or there are no keys
 */
export async function knownVapidKeys({ entries }: Pick<KeySource, 'entries'>): Promise<VapidKeys> {
  const known = keyAmong(await entries.of('keys'), VAPID);
  if (known === undefined) throw new Unavailable('there are no keys for push services yet');
  return JSON.parse(known);
}

function newVapidKeys(): VapidKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: privateKey.export({ format: 'jwk' }).d ?? '' };
}
