import { createCipheriv, createDecipheriv, type Decipher } from 'node:crypto';
import { storedId } from '../../actors/domain/ids.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { keyAmong, sharedKey } from './shared-key.js';

const NAME = 'media_names';
const CIPHER = 'aes-128-ecb';
const KEY_BYTES = 16;
/** One block: whose file it is, then chance. */
const OWNER_BYTES = 8;
/** What makes a name differ from others of the same owner. */
export const CHANCE_BYTES = 8;
const NAME_CHARS = 2 * (OWNER_BYTES + CHANCE_BYTES);

/**
 * What the names of somebody's file begin with: 128 bits that tell nobody anything and that nobody guesses, but in
 * which this instance reads whose it is. So a suspension holds for files without a row for each of them.
 */
export async function mediaKey(
  services: Services,
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

/** Whose the file is; of one that is nobody's it is somebody whom there is not. Undefined: nobody has any. */
export async function ownerOf({ entries }: Pick<Services, 'entries'>, name: string): Promise<string | undefined> {
  const opener = openerOf(await entries.of('keys'));
  if (opener === undefined) return undefined;
  const block = opener.update(name.slice(0, NAME_CHARS), 'hex');
  return storedId(block.readBigUInt64BE().toString());
}

/** By the entries, which are the same until one is made. Each block is opened by itself, so one serves for all names. */
const openers = new WeakMap<readonly InstanceEntry[], Decipher>();

function openerOf(entries: readonly InstanceEntry[]): Decipher | undefined {
  const known = openers.get(entries);
  const text = known === undefined ? keyAmong(entries, NAME) : undefined;
  if (text === undefined) return known;
  const opener = createDecipheriv(CIPHER, Buffer.from(text, 'base64url'), null).setAutoPadding(false);
  openers.set(entries, opener);
  return opener;
}
