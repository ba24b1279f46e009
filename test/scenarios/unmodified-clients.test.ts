import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { ServerProcess } from '../kit/services/server-process.js';
import { playWithMasto } from './clients/masto.js';
import { playOwnAccountWithMasto } from './clients/masto-own-account.js';
import { playStatusesWithMasto } from './clients/masto-statuses.js';
import { playWithMegalodon } from './clients/megalodon.js';
import { playWithToot } from './clients/toot.js';
import { makePeople, type Person } from './cluster/people.js';

const run = promisify(execFile);
const script = (name: string) => join(process.cwd(), 'test/scenarios/clients', name);
const PLAY_MS_MAX = 240_000;

let server: ServerProcess;
before(async () => {
  server = await ServerProcess.start();
});
after(() => server?.dispose());

test('masto, unmodified, signs up, confirms, posts, follows, streams and talks on one embedded server', async () => {
  await playWithMasto({ urlA: server.url, urlB: server.url, dataDirs: [server.dataDir], suffix: 'e1' });
});

test('masto, unmodified, shows pictures, edits, creates polls, schedules, searches and is notified', async () => {
  const [quin, ria] = (await makePeople(server.dataDir, ['quin', 'ria'])) as [Person, Person];
  await playStatusesWithMasto(server.url, quin, ria);
});

test('megalodon, unmodified, posts, follows, marks, lists, filters and reports on one embedded server', async () => {
  const [mia, nils] = (await makePeople(server.dataDir, ['mia', 'nils'])) as [Person, Person];
  await playWithMegalodon(server.url, mia, nils);
});

test('toot, unmodified, posts, follows, marks and reads on one embedded server', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has toot; scripts/test.mjs sets it');
  const [ola, pia] = (await makePeople(server.dataDir, ['ola', 'pia'])) as [Person, Person];
  await playWithToot(python, server.url, ola, pia);
});

test('Mastodon.py, unmodified, does the main job on one embedded server', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has Mastodon.py; scripts/test.mjs sets it');
  const [ada, ben] = (await makePeople(server.dataDir, ['ada', 'ben'])) as [Person, Person];
  const args = [script('scenario.py'), server.url, server.url, ada.email, ben.email, ada.password];
  const played = await run(python, args, { timeout: PLAY_MS_MAX });
  assert.equal(JSON.parse(played.stdout).ok, true);
});

test('Mastodon.py, unmodified, filters, notes, endorses, features, blocks domains and edits a profile', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has Mastodon.py; scripts/test.mjs sets it');
  const [eva, finn] = (await makePeople(server.dataDir, ['eva', 'finn'])) as [Person, Person];
  const args = [script('own_account.py'), server.url, eva.token, finn.token];
  const played = await run(python, args, { timeout: PLAY_MS_MAX });
  assert.equal(JSON.parse(played.stdout).ok, true);
});

test('masto, unmodified, filters, notes, endorses, features, blocks domains and edits a profile', async () => {
  const [cleo, dan] = (await makePeople(server.dataDir, ['cleo', 'dan'])) as [Person, Person];
  await playOwnAccountWithMasto(server.url, cleo, dan);
});

test('the server logged no error', () => {
  const levels = server.log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  assert.deepEqual(
    levels.filter((line) => line.level >= 50),
    [],
  );
});
