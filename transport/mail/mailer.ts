import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transporter } from 'nodemailer';
import { Unavailable } from '../../actors/domain/problem.js';
import type { Mailer } from '../mailer.js';

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface MailerOptions {
  /** smtp:// or smtps:// with user and password as needed; without it mails are written to files. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
  /** The folder of the mails without SMTP. */
  readonly folder: string;
  readonly log: Log;
}

/** Timeout of each step of an SMTP session; after it the mail counts as not sent. */
const SMTP_TIMEOUT_MS = 15_000;

/** Loaded with the first mail: its 39 modules would slow every start. */
const nodemailer = () => import('nodemailer');

export function openMailer(options: MailerOptions): Mailer {
  return options.smtpUrl === undefined ? fileMailer(options) : smtpMailer(options.smtpUrl, options);
}

function smtpMailer(url: string, { from, log }: MailerOptions): Mailer {
  const address = new URL(url);
  const isTls = address.protocol === 'smtps:';
  const settings = {
    host: address.hostname,
    port: address.port === '' ? (isTls ? 465 : 587) : Number(address.port),
    secure: isTls,
    ...(address.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) } }),
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  let transport: Promise<Transporter> | undefined;
  const opened = () => (transport ??= nodemailer().then(({ createTransport }) => createTransport(settings)));
  return {
    async send(mail) {
      try {
        await (await opened()).sendMail({ from, ...mail, to: oneAddress(mail.to) });
      } catch (error) {
        if (isForGood(error)) {
          log.warn({ subject: mail.subject, err: error }, 'the mail server rejected a mail permanently');
          return;
        }
        throw new Unavailable('failed to send a mail', { cause: error });
      }
    },
  };
}

/**
 * Returns true if the server permanently rejected the recipient or the mail itself (RFC 5321 §4.2.1). Errors about the
 * sender or the connection are temporary: the operator sees them in the log and fixes them.
 */
function isForGood(error: unknown): boolean {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  if (responseCode === undefined || responseCode < 500) return false;
  return code === 'EMESSAGE' || (code === 'EENVELOPE' && command === 'RCPT TO');
}

/** Writes one .eml file per mail; a file is complete when it has its final name. */
function fileMailer({ folder, from, log }: MailerOptions): Mailer {
  return {
    async send(mail) {
      const { createTransport } = await nodemailer();
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const composed = await composer.sendMail({ from, ...mail, to: oneAddress(mail.to) });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = composed.messageId.replace(/[^A-Za-z0-9-]/g, '');
      const path = join(folder, `${name}.eml`);
      await writeFile(`${path}.part`, composed.message as Buffer, { mode: 0o600 });
      await rename(`${path}.part`, path);
      log.info({ to: mail.to, subject: mail.subject, path }, 'wrote a mail to a file: SMTP_URL is not set');
    },
  };
}

/** An object, so that commas or line breaks in an address cannot add recipients. */
function oneAddress(address: string): { name: string; address: string } {
  return { name: '', address };
}
