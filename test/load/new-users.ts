import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program, type ServerProcess, withoutSettings } from '../kit/services/server-process.js';

/** Creates accounts NAME0 and so on on a running server, as docs/load.md describes. @returns a users' file */
export async function newUsers({ dataDir }: Pick<ServerProcess, 'dataDir'>, name: string, count: number) {
  const lines = Array.from({ length: count }, (_, index) => ({
    username: `${name}${index}`,
    email: `${name}${index}@example.org`,
    password: 'correct horse battery',
    role: 'user',
    confirmed: true,
    token: { scopes: 'read write follow push' },
  }));
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-users-'));
  try {
    const file = join(folder, 'new.jsonl');
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const env = { ...withoutSettings(), MURMURATION_DATA_DIR: dataDir };
    const create = [program, 'account', 'create', '--from', file, '--test-passwords'];
    return (await promisify(execFile)(process.execPath, create, { env })).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
