import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { openMailer, SESSIONS_MAX, UNREACHABLE_PAUSE_MS } from '../../../transport/mail/mailer.js';
import { parsedMail } from '../../kit/mail/parsed-mail.js';

interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

const refused = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });
/** Answers to RCPT TO by the name before the @. */
const REFUSALS: Readonly<Record<string, Error>> = {
  gone: refused(550, 'no such mailbox'),
  later: refused(450, 'come back'),
  full: refused(452, 'mailbox full'),
};
let signIns = 0;

const received: Received[] = [];
let accepts = true;
let server: SMTPServer;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-mail-'));
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(REFUSALS[address.split('@')[0] ?? ''] ?? null),
    onAuth: (_auth, _session, done) => {
      signIns += 1;
      done(null, { user: 'me' });
    },
    onMailFrom: (_address, _session, done) => done(accepts ? null : new Error('not now')),
    onData: (stream, session, done) => {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map((recipient) => recipient.address);
        const refusal = to[0]?.startsWith('spam') ? refused(554, 'not wanted') : undefined;
        if (refusal === undefined) received.push({ to, text });
        done(refusal ?? null);
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
const log = { info: (fields: object) => void lines.push(fields), warn: () => undefined };
const from = 'Murmuration <no-reply@example.org>';
const mail = {
  messageId: 'abc123@example.org',
  to: 'new@example.org',
  subject: 'Confirm',
  text: 'Open this link.',
  html: '<p>Open this link.</p>',
  atMs: 1_767_225_600_000,
};
let nowMs = 0;
const clock = { monotonicMs: () => nowMs };
const bySmtp = (port: number) => openMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from, folder, log, clock });
const portOf = () => (server.server.address() as AddressInfo).port;

test('a mail reaches a real SMTP server, for its one recipient', async () => {
  await bySmtp(portOf()).send(mail);
  assert.deepEqual(received.at(-1)?.to, ['new@example.org']);
  assert.match(received.at(-1)?.text ?? '', /From: Murmuration <no-reply@example\.org>/);
  assert.match(received.at(-1)?.text ?? '', /Open this link\./);
});

test('a mail has both forms, its own Message-ID and date, and asks for no automatic answer', async () => {
  await bySmtp(portOf()).send({ ...mail, unsubscribeUrl: 'https://here.example/auth/mails/reports?token=1.2.3' });
  const { headers, text, html } = parsedMail(received.at(-1)?.text ?? '');
  assert.deepEqual([text.trim(), html.trim()], ['Open this link.', '<p>Open this link.</p>']);
  assert.equal(headers.get('message-id'), '<abc123@example.org>');
  assert.equal(headers.get('date'), 'Thu, 01 Jan 2026 00:00:00 +0000');
  assert.equal(headers.get('auto-submitted'), 'auto-generated');
  assert.equal(headers.get('list-unsubscribe'), '<https://here.example/auth/mails/reports?token=1.2.3>');
  assert.equal(headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  await bySmtp(portOf()).send(mail);
  assert.equal(parsedMail(received.at(-1)?.text ?? '').headers.has('list-unsubscribe'), false);
});

test('an address cannot name more recipients or add headers', async () => {
  const before = received.length;
  for (const to of ['a@example.org, b@example.org', 'a@example.org\r\nBcc: c@example.org', 'a b@example.org', '', '@'])
    await bySmtp(portOf()).send({ ...mail, to });
  for (const { to, text } of received.slice(before)) {
    assert.ok(to.length <= 1);
    assert.ok(!/^Bcc:/m.test(text));
  }
});

test('a subject of any characters changes no header', async () => {
  const hostile = [
    'one\r\nBcc: c@example.org\r\n\r\nbody',
    '\u202eevil\u2066',
    '\u0000\u001b[31m',
    'x'.repeat(5_000),
    '\u{1f469}\u200d\u{1f680}'.repeat(500),
    '=?utf-8?Q?=0D=0ABcc:_c@example.org?=',
    '\ud800',
    '',
  ];
  const plain = [...parsedMail(received[0]?.text ?? '').headers.keys()].sort();
  for (const subject of hostile) {
    assert.deepEqual(await bySmtp(portOf()).send({ ...mail, subject }), { kind: 'sent' });
    const { headers, subject: read } = parsedMail(received.at(-1)?.text ?? '');
    assert.deepEqual(
      [...headers.keys()].filter((name) => name !== 'subject').sort(),
      plain.filter((name) => name !== 'subject'),
      subject,
    );
    assert.deepEqual(
      [...'\r\n\u0000\u001b\u202e\u2066'].filter((char) => read.includes(char)),
      [],
    );
    assert.ok(read.length <= 400, `${read.length}`);
    for (const line of (received.at(-1)?.text ?? '').split('\r\n')) assert.ok(line.length <= 998, 'RFC 5322 §2.1.1');
  }
});

test('a server that refuses, or is not there, delays the mail, and all mails pause after it was not there', async () => {
  accepts = false;
  assert.deepEqual(await delayOf(bySmtp(portOf())), 'sender');
  accepts = true;
  const absent = bySmtp(1);
  assert.equal(await delayOf(absent), 'unreachable');
  const reason = async () => {
    const outcome = await absent.send(mail);
    return outcome.kind === 'later' ? outcome.reason : outcome.kind;
  };
  assert.match(await reason(), /just now/);
  nowMs += UNREACHABLE_PAUSE_MS;
  assert.match(await reason(), /ECONNREFUSED/);
});

test('an answer of 4xx for the recipient or the mail delays it; 5xx rejects it', async () => {
  const outcome = async (to: string) => bySmtp(portOf()).send({ ...mail, to });
  assert.equal((await outcome('later@example.org')).kind, 'later');
  assert.equal((await outcome('full@example.org')).kind, 'later');
  assert.deepEqual(await outcome('gone@example.org'), { kind: 'rejected', reason: '550 no such mailbox' });
  assert.deepEqual(await outcome('spam@example.org'), { kind: 'rejected', reason: '554 not wanted' });
});

test('more mails than sessions wait for their turn', async () => {
  const mailer = bySmtp(portOf());
  const outcomes = await Promise.all(Array.from({ length: SESSIONS_MAX + 3 }, () => mailer.send(mail)));
  assert.equal(outcomes.filter(({ kind }) => kind === 'sent').length, SESSIONS_MAX);
  assert.equal(await delayOf(mailer), 'sent', 'sessions are given back');
});

test('credentials never go to another machine without TLS', async () => {
  const [port, before] = [portOf(), signIns];
  const mailer = openMailer({ smtpUrl: `smtp://me:hush@0.0.0.0:${port}`, from, folder, log, clock });
  assert.equal(await delayOf(mailer), 'unreachable');
  assert.equal(signIns, before);
});

test('a server whose certificate is not trusted gets neither credentials nor the mail', async () => {
  let signedIn = 0;
  for (const [scheme, secure] of [
    ['smtp', false],
    ['smtps', true],
  ] as const) {
    const untrusted = new SMTPServer({
      secure,
      onAuth: (_auth, _session, done) => {
        signedIn += 1;
        done(null, { user: 'me' });
      },
    });
    await new Promise<void>((resolve) => untrusted.listen(0, '127.0.0.1', resolve));
    untrusted.on('error', () => undefined);
    const { port } = untrusted.server.address() as AddressInfo;
    const mailer = openMailer({ smtpUrl: `${scheme}://me:hush@127.0.0.1:${port}`, from, folder, log, clock });
    assert.equal(await delayOf(mailer), 'unreachable', scheme);
    await new Promise<void>((resolve) => untrusted.close(() => resolve()));
  }
  assert.equal(signedIn, 0);
});

test('without an SMTP server a mail becomes a file and a log line; a repeated one replaces it', async () => {
  const mailer = openMailer({ smtpUrl: undefined, from, folder, log, clock });
  const before = lines.length;
  for (let n = 0; n < 2; n++) assert.deepEqual(await mailer.send(mail), { kind: 'sent' });
  const names = await readdir(folder);
  assert.equal(names.length, 1);
  assert.match(await readFile(join(folder, names[0] ?? ''), 'utf8'), /To: new@example\.org/);
  assert.equal(lines.length - before, 2);
  assert.ok(
    lines.some((line) => 'folder' in line && line.folder === folder),
    'the start says where',
  );
});

async function delayOf(mailer: ReturnType<typeof openMailer>): Promise<string> {
  const outcome = await mailer.send(mail);
  return outcome.kind === 'later' ? outcome.delay : outcome.kind;
}
