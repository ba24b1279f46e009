import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { ServerProcess } from '../kit/services/server-process.js';
import { playOwnAccountWithMasto } from './clients/masto-own-account.js';
import { makePeople, type Person } from './cluster/people.js';

const run = promisify(execFile);
const script = join(process.cwd(), 'test/scenarios/clients/own_account.py');
const PLAY_MS_MAX = 240_000;

let server: ServerProcess;
before(async () => {
  server = await ServerProcess.start();
});
after(() => server?.dispose());

const people = (...names: string[]) => makePeople(server.dataDir, names) as Promise<[Person, Person]>;

test('Mastodon.py, unmodified, filters, notes, endorses, features, blocks domains and edits a profile', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has Mastodon.py; scripts/test.mjs sets it');
  const [ada, ben] = await people('ada', 'ben');
  const played = await run(python, [script, server.url, ada.token, ben.token], { timeout: PLAY_MS_MAX });
  assert.equal(JSON.parse(played.stdout).ok, true);
});

test('masto, unmodified, does the same', async () => {
  const [cleo, dan] = await people('cleo', 'dan');
  await playOwnAccountWithMasto(server.url, cleo, dan);
});
