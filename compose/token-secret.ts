import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedTokens } from '../actors/domain/keyed-tokens.js';
import type { Random } from '../actors/domain/time.js';
import type { Logger } from '../actors/runtime/logger.js';
import type { Settings } from '../cli/settings.js';
import type { Tables } from '../store/port.js';
import { makePrivate, PRIVATE_FILE_MODE, syncFolder } from '../store/private-folder.js';
import { sharedSecrets } from '../store/tables.js';

const FILE = 'token-secret';
const SECRET_BYTES = 32;

/**
 * Opens the secret of keyed tokens: CLUSTER_SECRET, which all nodes on one keyspace share; a row of the store for a
 * cluster that has only the TLS files; else a file in the data folder. The first start creates row or file, durable
 * when resolved.
 * @throws Error when the file is damaged; Unavailable when the row cannot be read
 */
export async function openKeyedTokens(
  settings: Settings,
  random: Pick<Random, 'bytes'>,
  tables: Pick<Tables, 'get' | 'compareAndSet'>,
  log: Logger,
): Promise<KeyedTokens> {
  const { STORE, CLUSTER_SECRET, NATS_URL, DATA_DIR } = settings;
  if (STORE !== 'cassandra') return new KeyedTokens(await fileSecret(DATA_DIR, random));
  if (CLUSTER_SECRET !== undefined) return new KeyedTokens(Buffer.from(CLUSTER_SECRET));
  if (NATS_URL === undefined) return new KeyedTokens(await fileSecret(DATA_DIR, random));
  log.warn({}, 'the key of mailed links is in the store: set CLUSTER_SECRET to keep it out of backups');
  return new KeyedTokens(await rowSecret(random, tables));
}

/** Reads or creates the row: TLS files differ between nodes, so the nodes share a row. */
async function rowSecret(
  random: Pick<Random, 'bytes'>,
  tables: Pick<Tables, 'get' | 'compareAndSet'>,
): Promise<Uint8Array> {
  const key = { name: FILE };
  const found = await tables.get(sharedSecrets, key);
  if (found !== undefined) return found.secret;
  const made = { secret: random.bytes(SECRET_BYTES) };
  const { current } = await tables.compareAndSet(sharedSecrets, key, undefined, made);
  return current?.secret ?? made.secret;
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

/** Writes the file; it is complete when it has its final name. */
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
