import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { SendMailOptions } from 'nodemailer';
import type { Mail, Mailer, MailOutcome } from '../mailer.js';
import { outcomeOf } from './smtp-errors.js';

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
  readonly clock: { monotonicMs(): number };
}

/** Timeout of each step of an SMTP session; after it the mail counts as not sent. */
const SMTP_TIMEOUT_MS = 15_000;
/** Concurrent SMTP sessions of one node: few enough for any server, enough for hundreds of mails a second. */
export const SESSIONS_MAX = 10;
/**
 * Pause of all mails after the mail server could not be reached: a thousand waiting mails try it as often as one does.
 */
export const UNREACHABLE_PAUSE_MS = 5_000;
/** Longest subject. Ours are shorter; a longer one is an error that must not become a huge header. */
const SUBJECT_CHARS_MAX = 200;
/** Control characters and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** Loaded with the first mail: its 39 modules would slow every start. */
const nodemailer = () => import('nodemailer');

export function openMailer(options: MailerOptions): Mailer {
  if (options.smtpUrl !== undefined) return smtpMailer(options.smtpUrl, options);
  options.log.info({ folder: options.folder }, 'SMTP_URL is not set: mails are written to files');
  return fileMailer(options);
}

function smtpMailer(url: string, { from, clock }: MailerOptions): Mailer {
  const settings = smtpSettings(new URL(url));
  let [sessions, pausedUntilMs] = [0, Number.NEGATIVE_INFINITY];
  const attempt = async (mail: Mail): Promise<MailOutcome> => {
    try {
      const { createTransport } = await nodemailer();
      await createTransport(settings).sendMail(composed(from, mail));
      return { kind: 'sent' };
    } catch (error) {
      return outcomeOf(error);
    }
  };
  return {
    async send(mail) {
      if (clock.monotonicMs() < pausedUntilMs)
        return { kind: 'later', delay: 'unreachable', reason: 'the mail server was unreachable just now' };
      if (sessions >= SESSIONS_MAX) return { kind: 'later', delay: 'busy', reason: 'too many mails at once' };
      sessions += 1;
      const outcome = await attempt(mail);
      sessions -= 1;
      const isDown = outcome.kind === 'later' && (outcome.delay === 'unreachable' || outcome.delay === 'auth');
      if (isDown) pausedUntilMs = clock.monotonicMs() + UNREACHABLE_PAUSE_MS;
      return outcome;
    },
  };
}

/**
 * STARTTLS is used whenever the server offers it, with a verified certificate. With credentials it is required: without
 * it anybody on the way could read them. A server on this machine may do without.
 */
function smtpSettings(address: URL) {
  const isTls = address.protocol === 'smtps:';
  const hasCredentials = address.username !== '';
  const host = address.hostname.replace(/^\[|\]$/g, '');
  const credentials = { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) };
  return {
    host,
    port: address.port === '' ? (isTls ? 465 : 587) : Number(address.port),
    secure: isTls,
    requireTLS: !isTls && hasCredentials && !isOwnMachine(host),
    ...(hasCredentials ? { auth: credentials } : {}),
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const isOwnMachine = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

/** Writes one .eml file per mail; a file is complete when it has its final name. A repeated mail replaces its file. */
function fileMailer({ folder, from, log }: MailerOptions): Mailer {
  return {
    async send(mail) {
      const path = join(folder, `${mail.messageId.replace(/[^A-Za-z0-9_-]/g, '')}.eml`);
      try {
        const { createTransport } = await nodemailer();
        const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
        const { message } = await composer.sendMail(composed(from, mail));
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(`${path}.part`, message as Buffer, { mode: 0o600 });
        await rename(`${path}.part`, path);
      } catch (error) {
        return { kind: 'later', delay: 'unreachable', reason: String(error) };
      }
      log.info({ to: mail.to, subject: mail.subject, path }, 'wrote a mail to a file: SMTP_URL is not set');
      return { kind: 'sent' };
    },
  };
}

/** Returns the message of a mail. No value of it can begin a header or name a further recipient. */
function composed(from: string, mail: Mail): SendMailOptions {
  const { messageId, to, subject, text, html, atMs, unsubscribeUrl } = mail;
  return {
    from,
    // An object, so that commas or line breaks in an address cannot add recipients.
    to: { name: '', address: to },
    // `=?` would begin an encoded word, whose characters the recipient's program decodes.
    subject: subject.replace(UNSAFE, ' ').replaceAll('=?', '= ?').slice(0, SUBJECT_CHARS_MAX),
    text,
    html,
    messageId: `<${messageId}>`,
    date: new Date(atMs),
    textEncoding: 'quoted-printable',
    headers: {
      // No vacation notice answers it. Source: RFC 3834 §5.
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl === undefined ? {} : { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    ...(unsubscribeUrl === undefined ? {} : { list: { unsubscribe: { url: unsubscribeUrl } } }),
  };
}
