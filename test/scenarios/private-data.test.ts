import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServerProcess } from '../kit/services/server-process.js';
import { makePeople } from './cluster/people.js';

/** Permissions of users other than the owner. */
const OTHERS = 0o077;

/** Returns everything in the folder, including the folder, on which other users have permissions. */
async function openToOthers(folder: string): Promise<string[]> {
  const names = ['.', ...(await readdir(folder, { recursive: true }))];
  const open = await Promise.all(
    names.map(async (name) => {
      const { mode } = await stat(join(folder, name));
      return (mode & OTHERS) === 0 ? undefined : `${name} ${(mode & 0o777).toString(8)}`;
    }),
  );
  return open.filter((name) => name !== undefined);
}

test('other users of the machine can open nothing in the data folder, also when an earlier start let them', async () => {
  const usual = process.umask(0);
  const server = await ServerProcess.start().finally(() => process.umask(usual));
  try {
    await makePeople(server.dataDir, ['ada']);
    const found = await readdir(server.dataDir, { recursive: true });
    for (const name of ['node.sock', 'store/data.mdb', 'store/lock.mdb', 'store/writes-a.log', 'store/writes-b.log']) {
      assert.ok(found.includes(name), `${name} in ${found}`);
    }
    assert.deepEqual(await openToOthers(server.dataDir), []);
    await server.stop();
    await mkdir(join(server.dataDir, 'media'));
    for (const name of ['.', ...(await readdir(server.dataDir, { recursive: true }))]) {
      await chmod(join(server.dataDir, name), 0o777);
    }
    await server.restart();
    assert.deepEqual(await openToOthers(server.dataDir), []);
  } finally {
    await server.dispose();
  }
});
