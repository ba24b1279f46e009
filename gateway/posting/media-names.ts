import { createCipheriv, createDecipheriv, type Decipher } from 'node:crypto';
import { storedId } from '../../actors/domain/ids.js';
import { keyAmong, sharedKey } from '../../actors/instance/keys.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';

const NAME = 'media_names';
const CIPHER = 'aes-128-ecb';
const KEY_BYTES = 16;
/** Half of one cipher block: the owner's id. The other half is random. */
const OWNER_BYTES = 8;
/** Random bytes that distinguish the names of one owner's files. */
export const CHANCE_BYTES = 8;
const NAME_CHARS = 2 * (OWNER_BYTES + CHANCE_BYTES);

/**
 * Returns the beginning of a file's name: 128 bits that nobody can interpret or guess, but from which this instance
 * decrypts the owner. A suspension therefore applies to files without a row for each of them.
 */
export async function mediaKey(
  services: Pick<Services, 'entries' | 'askInstance' | 'random'>,
  owner: string,
  chance = services.random.bytes(CHANCE_BYTES),
): Promise<string> {
  const { random } = services;
  const key = await sharedKey(services, NAME, () => Buffer.from(random.bytes(KEY_BYTES)).toString('base64url'));
  const block = Buffer.concat([Buffer.alloc(OWNER_BYTES), chance]);
  block.writeBigUInt64BE(BigInt(owner));
  return createCipheriv(CIPHER, Buffer.from(key, 'base64url'), null)
    .setAutoPadding(false)
    .update(block)
    .toString('hex');
}

/**
 * Returns the account id encoded in a file name. A forged name decodes to an id that does not exist. Undefined: no file
 * has been stored yet.
 */
export async function ownerOf({ entries }: Pick<Services, 'entries'>, name: string): Promise<string | undefined> {
  const opener = openerOf(await entries.of('keys'));
  if (opener === undefined) return undefined;
  const block = opener.update(name.slice(0, NAME_CHARS), 'hex');
  return storedId(block.readBigUInt64BE().toString());
}

/**
 * Deciphers by entries, which are the same object until a key is created. Each block is decrypted independently, so one
 * decipher serves all names.
 */
const openers = new WeakMap<readonly InstanceEntry[], Decipher>();

function openerOf(entries: readonly InstanceEntry[]): Decipher | undefined {
  const known = openers.get(entries);
  const text = known === undefined ? keyAmong(entries, NAME) : undefined;
  if (text === undefined) return known;
  const opener = createDecipheriv(CIPHER, Buffer.from(text, 'base64url'), null).setAutoPadding(false);
  openers.set(entries, opener);
  return opener;
}
