import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../cli/operator-socket.js';
import { certificateIn } from '../../kit/network/certificate.js';
import { PushReceiver } from '../../kit/network/push-receiver.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const STEP_MS_MAX = 60_000;
const PATH = '/api/v1/push/subscription';

let folder: string;
let server: ServerProcess;
let trusted: PushReceiver;
let foreign: PushReceiver;
let ada: Person;
let ben: Person;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-tls-'));
  const known = certificateIn(folder, 'trusted');
  trusted = await PushReceiver.open(0, known);
  foreign = await PushReceiver.open(0, certificateIn(folder, 'foreign'));
  const environment = { NODE_EXTRA_CA_CERTS: known.path };
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' }, environment);
  [ada, ben] = (await makePeople(server.dataDir, ['ada', 'ben'])) as [Person, Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([trusted?.close(), foreign?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const wishes = { data: { alerts: { mention: true }, policy: 'all' } };

test('messages go over TLS on kept connections, in the name of the operator, to trusted services only', async () => {
  const operate = operatorClient(server.dataDir);
  await operate('instance.put', { collection: 'settings', key: 'contact_email', text: 'operator@example.org' });
  const { token } = await operate('token.create', { username: 'ada', scopes: 'read push' });
  const [here, there] = [trusted.subscription(), foreign.subscription(false)];
  await call(server.url, ada, 'POST', PATH, { subscription: here, ...wishes });
  await call(server.url, { ...ada, token }, 'POST', PATH, { subscription: there, ...wishes });
  for (let count = 1; count <= 5; count++) {
    await call(server.url, ben, 'POST', '/api/v1/statuses', { status: `@ada number ${count}` });
    const messages = await trusted.arrived(here.endpoint, count, STEP_MS_MAX);
    assert.match(messages.at(-1)?.text ?? '', new RegExp(`number ${count}`));
    assert.equal(messages.at(-1)?.vapid.subject, 'mailto:operator@example.org');
  }
  assert.equal(trusted.connections, 1);
  assert.deepEqual(trusted.complaints, []);
  await until('an attempt at the other service', () => foreign.connections > 0, STEP_MS_MAX);
  assert.deepEqual(foreign.asked, [], 'nothing is sent to a service whose certificate is not trusted');
});
