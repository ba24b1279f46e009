import type { MailOutcome } from '../mailer.js';

/** Longest reason: the answer of a mail server, which is shown to administrators. */
const REASON_CHARS_MAX = 300;

/** An error of nodemailer. `responseCode`: the answer of the server (RFC 5321 §4.2.1); absent without an answer. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly message?: string;
}

/**
 * Returns the outcome of a failed attempt. Only a 5xx about the recipient or the mail itself is final. Refusals of the
 * sender or the credentials concern every mail: the operator corrects them, and the mails wait.
 */
export function outcomeOf(error: unknown): MailOutcome {
  const { code, command = '', responseCode, response, message } = error as SmtpError;
  const reason = oneLine(response ?? message ?? String(error));
  const later = (delay: 'unreachable' | 'auth' | 'sender' | 'deferred'): MailOutcome => ({
    kind: 'later',
    delay,
    reason,
  });
  if (code === 'EAUTH') return later('auth');
  // The library refuses an address that cannot be sent.
  if (code === 'EENVELOPE' && responseCode === undefined) return { kind: 'rejected', reason };
  if (responseCode === undefined) return later('unreachable');
  if (code === 'EENVELOPE' && command !== 'RCPT TO') return later('sender');
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return later('unreachable');
  return responseCode >= 500 ? { kind: 'rejected', reason } : later('deferred');
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, REASON_CHARS_MAX);
