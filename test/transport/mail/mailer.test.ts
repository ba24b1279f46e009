import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { Unavailable } from '../../../actors/domain/problem.js';
import { openMailer } from '../../../transport/mail/mailer.js';

interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

const received: Received[] = [];
let accepts = true;
let server: SMTPServer;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-mail-'));
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('gone') ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null),
    onMailFrom: (_address, _session, done) => done(accepts ? null : new Error('not now')),
    onData: (stream, session, done) => {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        received.push({ to: session.envelope.rcptTo.map((recipient) => recipient.address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  await new Promise<void>((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const lines: object[] = [];
const warnings: object[] = [];
const log = { info: (fields: object) => void lines.push(fields), warn: (fields: object) => void warnings.push(fields) };
const from = 'Murmuration <no-reply@example.org>';
const mail = { to: 'new@example.org', subject: 'Confirm', text: 'Open this link.' };
const bySmtp = (port: number) => openMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from, folder, log });
const portOf = () => (server.server.address() as AddressInfo).port;

test('a mail reaches a real SMTP server, for its one recipient', async () => {
  await bySmtp(portOf()).send(mail);
  assert.deepEqual(received.at(-1)?.to, ['new@example.org']);
  assert.match(received.at(-1)?.text ?? '', /From: Murmuration <no-reply@example\.org>/);
  assert.match(received.at(-1)?.text ?? '', /Open this link\./);
});

test('an address cannot name more recipients or add headers', async () => {
  const before = received.length;
  await bySmtp(portOf())
    .send({ ...mail, to: 'a@example.org, b@example.org\r\nBcc: c@example.org' })
    .catch((error: unknown) => assert.ok(error instanceof Unavailable));
  for (const { to, text } of received.slice(before)) {
    assert.ok(to.length <= 1);
    assert.ok(!/^Bcc:/m.test(text));
  }
});

test('a server that refuses, or is not there, is Unavailable: the mail is tried again', async () => {
  accepts = false;
  await assert.rejects(bySmtp(portOf()).send(mail), Unavailable);
  accepts = true;
  await assert.rejects(bySmtp(1).send(mail), Unavailable);
});

test('a permanently rejected recipient is not retried, and is logged', async () => {
  const before = [received.length, warnings.length] as const;
  await bySmtp(portOf()).send({ ...mail, to: 'gone@example.org' });
  assert.deepEqual([received.length, warnings.length], [before[0], before[1] + 1]);
});

test('without an SMTP server a mail becomes a file and a log line', async () => {
  await openMailer({ smtpUrl: undefined, from, folder, log }).send(mail);
  const names = await readdir(folder);
  assert.equal(names.length, 1);
  assert.match(await readFile(join(folder, names[0] ?? ''), 'utf8'), /To: new@example\.org/);
  assert.equal(lines.length, 1);
});
