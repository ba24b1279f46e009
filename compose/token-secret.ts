import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedTokens } from '../actors/domain/keyed-tokens.js';
import type { Random } from '../actors/domain/time.js';
import type { Settings } from '../cli/settings.js';
import { makePrivate, PRIVATE_FILE_MODE, syncFolder } from '../store/private-folder.js';

const FILE = 'token-secret';
const SECRET_BYTES = 32;

/**
 * Opens what makes keyed tokens: from CLUSTER_SECRET, which all nodes on one keyspace share, else from a
 * file in the data folder. The first start makes that file, durable when resolved.
 * @throws Error when the file is damaged
 */
export async function openKeyedTokens(settings: Settings, random: Pick<Random, 'bytes'>): Promise<KeyedTokens> {
  const { STORE, CLUSTER_SECRET, DATA_DIR } = settings;
  if (STORE === 'cassandra' && CLUSTER_SECRET !== undefined) return new KeyedTokens(Buffer.from(CLUSTER_SECRET));
  return new KeyedTokens(await fileSecret(DATA_DIR, random));
}

async function fileSecret(folder: string, random: Pick<Random, 'bytes'>): Promise<Uint8Array> {
  const path = join(folder, FILE);
  const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return writeSecret(folder, path, random.bytes(SECRET_BYTES));
  await makePrivate(path, PRIVATE_FILE_MODE);
  const secret = Buffer.from(found.trim(), 'base64url');
  if (secret.length === SECRET_BYTES) return secret;
  throw new Error(`${path} is damaged: restore it, or remove it, which makes all links in mails sent before invalid`);
}

/** Whole as soon as it has its name. */
async function writeSecret(folder: string, path: string, secret: Uint8Array): Promise<Uint8Array> {
  const part = await open(`${path}.part`, 'w', PRIVATE_FILE_MODE);
  try {
    await part.writeFile(`${Buffer.from(secret).toString('base64url')}\n`);
    await part.sync();
  } finally {
    await part.close();
  }
  await rename(`${path}.part`, path);
  await syncFolder(folder);
  return secret;
}
