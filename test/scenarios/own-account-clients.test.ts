import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { TestServer } from '../kit/server.js';
import { playOwnAccountWithMasto } from './clients/masto-own-account.js';

const run = promisify(execFile);
const script = join(process.cwd(), 'test/scenarios/clients/own_account.py');
const PLAY_MS_MAX = 240_000;

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

test('Mastodon.py, unmodified, filters, notes, endorses, features, blocks domains and edits a profile', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has Mastodon.py; scripts/test.mjs sets it');
  const [ada, ben] = [await server.person('ada'), await server.person('ben')];
  const played = await run(python, [script, server.url, ada.token, ben.token], { timeout: PLAY_MS_MAX });
  assert.equal(JSON.parse(played.stdout).ok, true);
});

test('masto, unmodified, does the same', async () => {
  await playOwnAccountWithMasto(server.url, await server.person('cleo'), await server.person('dan'));
});
