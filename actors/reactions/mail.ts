import { createHash } from 'node:crypto';
import type { MailLetter, MailPosted } from '../../proto/gen/types.js';
import type { Mail, Mailer } from '../../transport/mailer.js';
import type { KeyedTokens, TokenPurpose } from '../domain/keyed-tokens.js';
import { LogBound } from '../domain/log-bound.js';
import { listNonce } from '../domain/mail-lists.js';
import { Deferred } from '../domain/problem.js';
import type { Clock } from '../domain/time.js';
import type { Events, State } from '../mail/mail.js';
import type { MailFailure, MailFigures } from '../mail/mail-figures.js';
import { type Site, TOKEN_PLACE } from '../mail/templates/letter.js';
import { renderLetter } from '../mail/templates/render.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';
import { tellAccount } from './account/tells.js';

export interface MailContext {
  readonly site: Site;
  readonly mailer: Mailer;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly keyedTokens: Pick<KeyedTokens, 'make'>;
  readonly figures: MailFigures;
  readonly log: { warn(fields: object, message: string): void };
}

/** Time for which a mail is retried. Source: RFC 5321 §4.5.4.1, four to five days. */
export const MAIL_TRIED_MS_MAX = 5 * 86_400_000;
/** Shortest pause between two attempts at a mail. */
const PAUSE_MS_MIN = 1_000;
/** Longest pause while the mail server cannot be reached: its mails go within a minute after its return. */
export const SERVER_PAUSE_MS_MAX = 60_000;
/**
 * Longest pause after a 4xx for one recipient. Servers that defer strangers accept them after some minutes; a full
 * mailbox stays full for long. Later mails to the account wait, too.
 */
export const RECIPIENT_PAUSE_MS_MAX = 900_000;
/** Log lines about mails that wait, a minute: an outage shows, and thousands of mails do not fill the disk. */
const LINES_MAX = 3;
const LINES_SPAN_MS = 60_000;

/**
 * Sends mails after the reply, so that a slow mail server delays nobody. A crash may send a mail twice, with the same
 * Message-ID.
 */
export function mailboxReactions(around: MailContext): readonly Reaction<State, Events>[] {
  const lines = new LogBound(LINES_MAX, LINES_SPAN_MS);
  return [
    {
      surface: 'mail',
      beforeReply: false,
      on: { posted: (event, happened, effects) => sendPosted(around, lines, event, happened, effects) },
    },
  ];
}

/** Makes one attempt. @throws Deferred when the mail has to wait */
async function sendPosted(
  around: MailContext,
  lines: LogBound,
  event: MailPosted,
  happened: Happened<State>,
  effects: Effects,
): Promise<void> {
  const { mailer, clock, figures } = around;
  const { self } = happened;
  const ageMs = clock.nowMs() - event.atMs;
  if (ageMs > MAIL_TRIED_MS_MAX)
    return giveUp(around, 'expired', 'it could not be sent in five days', event, happened, effects);
  const mail = mailOf(around, event, happened);
  const outcome = await mailer.send(mail);
  if (outcome.kind === 'rejected') return giveUp(around, 'rejected', outcome.reason, event, happened, effects);
  if (outcome.kind === 'sent') {
    figures.sent += 1;
    figures.ends(self);
    return;
  }
  const { delay, reason } = outcome;
  const nowMs = clock.nowMs();
  const pauseMs = pauseAfter(ageMs, delay === 'deferred' ? RECIPIENT_PAUSE_MS_MAX : SERVER_PAUSE_MS_MAX);
  figures.failed[delay] += 1;
  figures.waits(self, event.atMs, nowMs + pauseMs);
  const bound = delay === 'busy' ? undefined : lines.admits(nowMs);
  if (bound !== undefined) {
    const { count, oldestMs } = figures.waiting(nowMs);
    const fields = { delay, reason, account: self, waiting: count, oldestSeconds: Math.round(oldestMs / 1_000) };
    around.log.warn({ ...fields, ...bound }, 'failed to send a mail, retrying');
  }
  throw new Deferred('the mail waits for the mail server', pauseMs);
}

/** Returns the pause before the next attempt: half of the mail's age, so that no count must be stored. */
const pauseAfter = (ageMs: number, mostMs: number): number => Math.min(mostMs, Math.max(PAUSE_MS_MIN, ageMs / 2));

/** Ends the attempts: logs it, counts it, and notes it at the account for its administrators. */
async function giveUp(
  { figures, log }: MailContext,
  failure: MailFailure & ('rejected' | 'expired'),
  reason: string,
  { to, letter }: MailPosted,
  { self }: Happened<State>,
  effects: Effects,
): Promise<void> {
  figures.failed[failure] += 1;
  figures.ends(self);
  log.warn({ account: self, failure, reason, subject: letter?.subject }, 'gave up a mail');
  await tellAccount(effects, self, 'noteUndelivered', { email: to, reason });
}

function mailOf({ site, keyedTokens }: MailContext, event: MailPosted, { self, seq }: Happened<State>): Mail {
  const { to, letter, link, list, atMs } = event;
  if (letter === undefined) throw new TypeError('a mail without a letter was posted');
  // Only the mail contains the token; the journal contains the nonce.
  const token = link && keyedTokens.make(link.purpose as TokenPurpose, { account: self, nonce: link.nonce });
  const id = digestOf(`${self} ${seq} ${atMs}`);
  const unsubscribeUrl = list === undefined ? undefined : unsubscribeUrlOf(site, keyedTokens, self, list);
  return {
    messageId: `${id}@${site.domain.replace(/:\d+$/, '')}`,
    to,
    subject: letter.subject,
    ...renderLetter(token === undefined ? letter : withToken(letter, token), unsubscribeUrl),
    atMs,
    ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl }),
  };
}

const withToken = (letter: MailLetter, token: string): MailLetter => ({
  ...letter,
  parts: letter.parts.map((part) => ({ ...part, url: part.url?.replace(TOKEN_PLACE, token) })),
});

/** Returns the address that ends the mails of a list. */
const unsubscribeUrlOf = (
  { baseUrl }: Site,
  keyedTokens: Pick<KeyedTokens, 'make'>,
  account: string,
  list: string,
): string =>
  `${baseUrl}/auth/mails/${list}?token=${keyedTokens.make('unsubscribe', { account, nonce: listNonce(list) })}`;

/** Returns 128 bits that tell mails apart and reveal nothing. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
