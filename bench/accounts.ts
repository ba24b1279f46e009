import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program, type ServerProcess, withoutSettings } from '../test/kit/services/server-process.js';
import { startServer } from './measured-server.js';
import { cpuSeconds, endedChildrenCpuSeconds } from './process-figures.js';
import type { Row } from './row.js';

const run = promisify(execFile);
const BULK = 10_000;
const BULK_SECONDS_MAX = 60;
const SCOPES = 'read write follow push';
const OUTPUT_BYTES_MAX = 2 ** 26;

export interface Made {
  readonly id: string;
  readonly username: string;
  readonly token: string;
}

/** Creates accounts with tokens by the command line, on the data folder of a server or on a new one. */
export async function createAccounts(
  server: Pick<ServerProcess, 'dataDir'>,
  count: number,
  prefix = 'user',
  role = 'user',
): Promise<Made[]> {
  const scopes = role === 'user' ? SCOPES : `${SCOPES} admin:read admin:write`;
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-bench-'));
  const file = join(folder, 'accounts.jsonl');
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      username: `${prefix}${index}`,
      email: `${prefix}${index}@example.org`,
      password: 'correct horse battery',
      role,
      confirmed: true,
      token: { scopes },
    }),
  );
  await writeFile(file, lines.join('\n'));
  try {
    const args = [program, 'account', 'create', '--from', file, '--test-passwords', '--data-dir', server.dataDir];
    const { stdout } = await run(process.execPath, args, { env: withoutSettings(), maxBuffer: OUTPUT_BYTES_MAX });
    const made = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Made);
    assert.equal(made.length, count);
    assert.ok(made.every((account, index) => account.username === `${prefix}${index}` && account.token));
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Measures the creation of accounts with tokens, which takes twice the writes of accounts alone: on a folder that no
 * node uses, and on that of a running node.
 */
export async function benchBulk(): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'murmuration-bulk-'));
  const rows: Row[] = [];
  try {
    rows.push(await bulk('no node runs', { dataDir }, endedChildrenCpuSeconds));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  const server = await startServer();
  try {
    rows.push(await bulk('node running', server, () => cpuSeconds(server.pid)));
  } finally {
    await server.dispose();
  }
  return rows;
}

async function bulk(how: string, where: Pick<ServerProcess, 'dataDir'>, cpu: () => number): Promise<Row> {
  const [cpuBefore, startedMs] = [cpu(), performance.now()];
  const made = await createAccounts(where, BULK);
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpuSecondsPer1000 = ((cpu() - cpuBefore) / BULK) * 1_000;
  assert.equal(new Set(made.map(({ id }) => id)).size, BULK);
  assert.equal(new Set(made.map(({ token }) => token)).size, BULK);
  // Verifies that the last account is stored, by finding it by name.
  await run(process.execPath, [program, 'token', 'create', `user${BULK - 1}`, '--data-dir', where.dataDir], {
    env: withoutSettings(),
  });
  return {
    name: `${BULK} accounts with tokens by account create --from, ${how}`,
    figure: `${seconds.toFixed(1)} s`,
    cpuSecondsPer1000,
    target: `< ${BULK_SECONDS_MAX} s`,
    reached: seconds < BULK_SECONDS_MAX,
  };
}
