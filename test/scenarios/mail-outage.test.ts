import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { operatorClient } from '../../cli/operator-socket.js';
import { freePort } from '../../cluster/local/process.js';
import { ServerProcess } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';

/** Maximum delay of requests, which never wait for a mail server: each attempt to reach one takes longer. */
const DELAY_MS_MAX = 3_000;
/** Timeout of a mail: after an outage it is retried within a minute (actors/runtime/effects/lane.ts). */
const MAIL_MS_MAX = 180_000;
interface Received {
  readonly to: string;
  readonly text: string;
}
const received: Received[] = [];
/** Mailboxes that do not exist. */
const nobody = new Set<string>();
let port: number;
let smtp: SMTPServer | undefined;
let server: ServerProcess;

async function openSmtp(): Promise<void> {
  const opened = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      if (nobody.has(address)) done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
      else done();
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks)
          .toString()
          .replace(/=\r?\n/g, '')
          .replaceAll('=3D', '=');
        for (const { address } of envelope.rcptTo) received.push({ to: address, text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve));
  smtp = opened;
}

async function closeSmtp(): Promise<void> {
  const open = smtp;
  smtp = undefined;
  if (open !== undefined) await new Promise<void>((resolve) => open.close(() => resolve()));
}

before(async () => {
  port = await freePort('127.0.0.1');
  await openSmtp();
  server = await ServerProcess.start({ SMTP_URL: `smtp://127.0.0.1:${port}`, LOG_LEVEL: 'fatal' });
});
after(async () => {
  await closeSmtp();
  await server?.dispose();
});

async function ask(method: string, path: string, token: string | undefined, body?: object) {
  const startedMs = performance.now();
  const response = await fetch(server.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  return { status: response.status, body: (await response.json()) as any, ms: performance.now() - startedMs };
}

async function person(username: string, role = 'user') {
  const run = operatorClient(server.dataDir);
  const scopes = role === 'user' ? 'read write follow' : 'read write follow admin:read admin:write';
  const identity = { email: `${username}@example.org`, password: 'correct horse battery', confirmed: true };
  const { id, token = '' } = await run('account.create', { username, ...identity, role, token: { scopes } });
  return { id, token };
}

async function appToken(): Promise<string> {
  const app = { client_name: 'app', redirect_uris: 'https://example.org/', scopes: 'read write' };
  const { client_id, client_secret } = (await ask('POST', '/api/v1/apps', undefined, app)).body;
  const wanted = { client_id, client_secret, grant_type: 'client_credentials', scope: 'read write' };
  return (await ask('POST', '/oauth/token', undefined, wanted)).body.access_token;
}

async function askReset(email: string): Promise<void> {
  const page = await fetch(`${server.url}/auth/password/new`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const cookie = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const form = new URLSearchParams({ csrf, email });
  const answer = await fetch(`${server.url}/auth/password`, {
    method: 'POST',
    body: form,
    headers: { cookie: cookie.join('; ') },
  });
  assert.equal(answer.status, 200);
}

const mailsTo = (to: string, pattern: RegExp) => received.filter((mail) => mail.to === to && pattern.test(mail.text));
const arrived = (to: string, pattern: RegExp) =>
  until(`a mail to ${to}`, async () => mailsTo(to, pattern)[0], MAIL_MS_MAX);

test('while the mail server is down everything else continues, also after a crash; then every mail arrives once', async () => {
  const [ada, ben] = [await person('ada'), await person('ben')];
  const [mod, chief] = [await person('mod', 'moderator'), await person('chief', 'admin')];
  const app = await appToken();
  const signUp = (username: string) =>
    ask('POST', '/api/v1/accounts', app, {
      username,
      email: `${username}@example.org`,
      password: 'correct horse battery',
      agreement: true,
    });
  const first = await signUp('first');
  assert.equal(first.status, 200);
  /**
   * Returns true if a request took no longer than one whose mail was delivered, however long a password's hash takes on
   * this machine.
   */
  const isSoon = (ms: number) => ms < first.ms + DELAY_MS_MAX;
  await arrived('first@example.org', /auth\/confirmation/);

  await closeSmtp();
  const signedUp = await signUp('second');
  assert.deepEqual([signedUp.status, isSoon(signedUp.ms)], [200, true]);
  await askReset('ada@example.org');
  const report = await ask('POST', '/api/v1/reports', ada.token, { account_id: ben.id, comment: 'rude' });
  assert.deepEqual([report.status, isSoon(report.ms)], [200, true]);
  await ask('POST', `/api/v1/admin/accounts/${ben.id}/action`, chief.token, { type: 'none', text: 'be kind' });
  // The later statuses of the reported account, the reporter and the moderators reach others, although mails to them
  // wait.
  for (const { token } of [ada, ben, mod, chief]) {
    const { body } = await ask('POST', '/api/v1/statuses', token, { status: '@ada @ben @mod @chief hello' });
    for (const other of [ada, ben, mod, chief].filter((one) => one.token !== token))
      await until(
        'the mention',
        async () => {
          const told = (await ask('GET', '/api/v1/notifications?types[]=mention', other.token)).body;
          return told.some((one: { status: { id: string } }) => one.status.id === body.id) || undefined;
        },
        60_000,
      );
  }
  await server.kill();
  await server.restart();
  assert.equal(received.length, 1);
  await openSmtp();
  const confirmation = await arrived('second@example.org', /auth\/confirmation/);
  const link = /https?:\/\/\S+\/auth\/confirmation\?\S+/.exec(confirmation.text)?.[0] ?? '';
  assert.equal((await fetch(link)).status, 200);
  assert.equal((await ask('GET', '/api/v1/timelines/home', signedUp.body.access_token)).status, 200);
  await arrived('ada@example.org', /password\/edit\?reset_password_token/);
  for (const who of ['mod', 'chief']) await arrived(`${who}@example.org`, new RegExp(report.body.id));
  await arrived('ben@example.org', /be kind/);
  assert.equal(mailsTo('ada@example.org', new RegExp(report.body.id)).length, 0, 'users hear of no reports');
  // Mails sent just before the crash may be sent again.
  const since = received.filter(({ to }) => to !== 'first@example.org');
  const subjects = since.map(({ to, text }) => `${to} ${/^Subject: .*$/m.exec(text)?.[0]}`);
  assert.equal(new Set(subjects).size, subjects.length, subjects.join('\n'));
});

test('mail to a missing mailbox is given up, and later mails to others and to it are sent', async () => {
  nobody.add('gone@example.org');
  const gone = await person('gone');
  await askReset('gone@example.org');
  await until(
    'the refusal to be past',
    async () => {
      const { body } = await ask('GET', '/api/v1/accounts/verify_credentials', gone.token);
      return body.id === gone.id || undefined;
    },
    5_000,
  );
  nobody.delete('gone@example.org');
  const mod = await person('judge', 'admin');
  await ask('POST', `/api/v1/admin/accounts/${gone.id}/action`, mod.token, { type: 'silence', text: 'enough' });
  await arrived('gone@example.org', /enough/);
});
