import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { operatorClient } from '../../../cli/operator-socket.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { makePeople, type Person } from '../cluster/people.js';

const run = promisify(execFile);
const script = join(process.cwd(), 'test/scenarios/clients/push_alerts.py');
const PLAY_MS_MAX = 240_000;

let server: ServerProcess;
before(async () => {
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
});
after(() => server?.dispose());

test('Mastodon.py, http_ece and py-vapid, unmodified, get and verify the alerts of a mention', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has them; scripts/test.mjs sets it');
  const [ada, ben] = (await makePeople(server.dataDir, ['ada', 'ben'])) as [Person, Person];
  const operate = operatorClient(server.dataDir);
  const { token } = await operate('token.create', { username: 'ada', scopes: 'read write push' });
  const args = [script, server.url, ada.token, token, ben.token];
  const played = await run(python, args, { timeout: PLAY_MS_MAX });
  assert.equal(JSON.parse(played.stdout).ok, true);
});
