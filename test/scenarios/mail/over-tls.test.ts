import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { operatorClient } from '../../../cli/operator-socket.js';
import { type Certificate, certificateIn } from '../../kit/network/certificate.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';

const ARRIVED_MS_MAX = 120_000;
const [USER, PASSWORD] = ['murmuration', 'a pass: with @ signs'];

interface Received {
  readonly to: string;
  readonly isSecure: boolean;
  readonly user: string;
  readonly messageId: string;
}

let folder: string;
let certificate: Certificate;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-mail-'));
  certificate = certificateIn(folder, 'mail');
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A mail server with TLS that demands a password. While it hesitates, it takes mails and answers nothing. */
class SecureServer {
  readonly received: Received[] = [];
  hesitates = false;
  readonly #server: SMTPServer;

  constructor(secure: boolean) {
    this.#server = new SMTPServer({
      ...{ secure, key: certificate.key, cert: certificate.cert },
      onAuth: ({ username, password }, _session, done) =>
        username === USER && password === PASSWORD ? done(null, { user: USER }) : done(new Error('wrong password')),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const messageId = /^Message-ID: (<.+>)/im.exec(Buffer.concat(chunks).toString())?.[1] ?? '';
          const [to] = session.envelope.rcptTo;
          this.received.push({
            ...{ to: to?.address ?? '', messageId, user: String(session.user) },
            isSecure: session.secure,
          });
          if (!this.hesitates) done();
        });
      },
    });
    // Connections of a killed process end early.
    this.#server.on('error', () => {});
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.server.address() as AddressInfo).port;
  }

  close = () => new Promise<void>((resolve) => this.#server.close(() => resolve()));

  arrived = (count: number) =>
    until(`${count} mails`, () => this.received.length >= count && this.received, ARRIVED_MS_MAX);
}

for (const scheme of ['smtps', 'smtp'])
  describe(`over ${scheme === 'smtps' ? 'TLS' : 'STARTTLS'}`, () => {
    let mail: SecureServer;
    let server: ServerProcess;
    before(async () => {
      mail = new SecureServer(scheme === 'smtps');
      const login = `${USER}:${encodeURIComponent(PASSWORD)}`;
      const settings = { SMTP_URL: `${scheme}://${login}@127.0.0.1:${await mail.open()}`, LOG_LEVEL: 'fatal' };
      server = await ServerProcess.start(settings, { NODE_EXTRA_CA_CERTS: certificate.path });
    });
    after(async () => {
      await server?.dispose();
      await mail?.close();
    });
    const signUp = (username: string) =>
      operatorClient(server.dataDir)('account.create', {
        ...{ username, email: `${username}@example.org`, password: 'correct horse battery' },
      });

    test('a mail arrives encrypted, from the user of SMTP_URL', async () => {
      await signUp('ann');
      const [first] = await mail.arrived(1);
      assert.deepEqual([first?.to, first?.isSecure, first?.user], ['ann@example.org', true, USER]);
    });

    test('a node killed before the mail server has answered sends the mail again under the same Message-ID', async () => {
      mail.hesitates = true;
      await signUp('ben');
      const toBen = () => mail.received.filter(({ to }) => to === 'ben@example.org');
      await until('the mail', () => toBen().length === 1, ARRIVED_MS_MAX);
      await server.kill();
      mail.hesitates = false;
      await server.restart();
      await until('the mail again', () => toBen().length === 2, ARRIVED_MS_MAX);
      const [first, again] = toBen();
      assert.match(first?.messageId ?? '', /^<.+@.+>$/);
      assert.deepEqual(again, first);
    });
  });
