import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountKind } from '../../../actors/kinds/account.js';
import { type Commands, type Events, outgoingMail, type State } from '../../../actors/mail/mail.js';
import { MailFigures } from '../../../actors/mail/mail-figures.js';
import { confirmationLetter, resetLetter } from '../../../actors/mail/templates/account-letters.js';
import { MAIL_TRIED_MS_MAX, RECIPIENT_PAUSE_MS_MAX, SERVER_PAUSE_MS_MAX } from '../../../actors/reactions/mail.js';
import { askerOf } from '../../../actors/runtime/kind.js';
import type { MailLetter } from '../../../proto/gen/types.js';
import { accounts, journal } from '../../../store/tables.js';
import type { Mail, MailOutcome } from '../../../transport/mailer.js';
import { given } from '../../kit/actors/given.js';
import { lonelyRings } from '../../kit/actors/lonely-rings.js';
import { noUploads } from '../../kit/actors/no-uploads.js';
import { Stage } from '../../kit/actors/stage.js';
import { testMailbox } from '../../kit/actors/test-mailbox.js';
import { keyedTokens } from '../../kit/keyed-tokens.js';
import { registration } from '../reactions/town.js';

const site = { baseUrl: 'https://here.example', domain: 'here.example' };
const to = 'ada@example.org';
const letterOf = (subject: string): MailLetter => ({
  ...confirmationLetter(site, { username: 'ada', locale: 'en' }),
  subject,
});
const ADA = '000000000000000065';
const HOUR_MS = 3_600_000;
const DOWN: MailOutcome = { kind: 'later', delay: 'unreachable', reason: 'connect ECONNREFUSED' };
const DEFERRED: MailOutcome = { kind: 'later', delay: 'deferred', reason: '450 come back' };

test('a mail is recorded before it is sent', () => {
  const mail = { to, letter: letterOf('Hello') };
  const { events } = given<State, Commands, Events>(outgoingMail, {}).when('post', mail);
  assert.deepEqual(
    events.map((event) => ({ ...event, atMs: 0 })),
    [{ type: 'posted', ...mail, atMs: 0 }],
  );
});

/** Returns mail and account actors whose mail server gives the outcome of `server`. */
async function stage() {
  const here = new Stage();
  const sent: Mail[] = [];
  const tries: number[] = [];
  const server: { outcome: MailOutcome } = { outcome: DOWN };
  const mailer = {
    send: async (one: Mail): Promise<MailOutcome> => {
      tries.push(here.clock.nowMs());
      if (server.outcome.kind === 'sent') sent.push(one);
      return server.outcome;
    },
  };
  const [figures, log] = [new MailFigures(), [] as object[]];
  const mailbox = testMailbox(mailer, here.clock, { figures, log });
  const rings = lonelyRings(here.shared, here.clock);
  const account = accountKind({ ...site, tables: here.shared, rings, media: noUploads });
  const node = await here.node(1, {}, [mailbox, account]);
  const post = async (subject: string) => {
    const answer = askerOf(mailbox, node.runtime)(ADA, 'post', { to, letter: letterOf(subject) });
    await here.clock.settle();
    return answer;
  };
  const subjects = () => sent.map(({ subject }) => subject);
  const askAccount = askerOf(account, node.runtime);
  return { here, sent, tries, server, node, mailbox, account, post, subjects, askAccount, figures, log };
}

test('an hour without a mail server loses no mail, repeats none, and keeps their order', async () => {
  const { here, tries, server, post, subjects, figures, log, node } = await stage();
  for (const subject of ['one', 'two', 'three']) assert.deepEqual(await post(subject), {});
  await here.clock.advance(HOUR_MS);
  assert.deepEqual(subjects(), []);
  const { count, oldestMs } = figures.waiting(here.clock.nowMs());
  assert.equal(count, 1, 'one mail of an account is tried at a time');
  assert.ok(oldestMs >= HOUR_MS - SERVER_PAUSE_MS_MAX, `${oldestMs}`);
  const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  assert.ok(Math.max(...pauses) <= SERVER_PAUSE_MS_MAX);
  assert.ok(tries.length < 2 * (HOUR_MS / SERVER_PAUSE_MS_MAX) + 15, `${tries.length} attempts in an hour`);
  assert.equal(figures.failed.unreachable, tries.length);
  assert.ok(log.length > 0 && log.length <= 3 * 61, `${log.length} lines in an hour`);
  assert.deepEqual(node.log, [], 'the lane adds no lines of its own');
  server.outcome = { kind: 'sent' };
  await here.clock.advance(SERVER_PAUSE_MS_MAX);
  assert.deepEqual(subjects(), ['one', 'two', 'three']);
  assert.deepEqual([figures.sent, figures.waiting(here.clock.nowMs())], [3, { count: 0, oldestMs: 0 }]);
  here.close();
});

test('a deferred recipient is tried less and less often', async () => {
  const { here, tries, server, post, subjects } = await stage();
  server.outcome = DEFERRED;
  await post('one');
  await here.clock.advance(12 * HOUR_MS);
  const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  assert.ok((pauses.at(-1) ?? 0) >= RECIPIENT_PAUSE_MS_MAX / 2);
  assert.ok(Math.max(...pauses) <= RECIPIENT_PAUSE_MS_MAX);
  assert.ok(tries.length < 120, `${tries.length} attempts in twelve hours`);
  server.outcome = { kind: 'sent' };
  await here.clock.advance(RECIPIENT_PAUSE_MS_MAX);
  assert.deepEqual(subjects(), ['one']);
  here.close();
});

test('a mail that a crash repeats has the same Message-ID, and no other mail has it', async () => {
  const { here, sent, server, node, mailbox, account, post } = await stage();
  server.outcome = { kind: 'sent' };
  // The cursor never reaches the disk, as when the process ends right after the mail server's answer.
  node.store.losesDeferred = true;
  await post('one');
  await post('two');
  here.kill(node);
  await here.node(2, {}, [mailbox, account]);
  await here.clock.advance(60_000);
  assert.ok(sent.length > 2, 'the crash repeats mails');
  const ids = sent.map(({ messageId }) => messageId);
  assert.equal(new Set(sent.map(({ subject, messageId }) => `${subject} ${messageId}`)).size, 2);
  assert.equal(new Set(ids).size, 2, ids.join('\n'));
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}@here\.example$/);
  here.close();
});

test('the journal stores the nonce of a link, and only the mail contains the token', async () => {
  const link = { purpose: 'reset', nonce: 'abcdefghijklmnopqrstuv' };
  const { here, sent, server, node, mailbox } = await stage();
  const letter = resetLetter(site, { username: 'ada', locale: 'en' });
  void askerOf(mailbox, node.runtime)(ADA, 'post', { to, letter, link });
  await here.clock.advance(60_000);
  server.outcome = { kind: 'sent' };
  await here.clock.advance(120_000);
  const token = keyedTokens.make('reset', { account: ADA, nonce: link.nonce });
  const url = `https://here.example/auth/password/edit?reset_password_token=${token}`;
  assert.deepEqual(
    sent.map(({ text, html }) => [text.includes(url), html.includes(url)]),
    [[true, true]],
  );
  const rows = await here.shared.range(journal, { actor: `mailbox/${ADA}`, bucket: 0 }, { limit: 10 });
  assert.equal(rows.length, 1);
  const recorded = Buffer.from(rows[0]?.value.events[0]?.payload ?? []);
  const [, nonce = '', mac = ''] = token.split('.');
  assert.deepEqual([recorded.includes(nonce), recorded.includes(mac)], [true, false]);
  here.close();
});

test('a rejected mail is given up at once, and its account shows the reason until the address changes', async () => {
  const { here, sent, server, post, askAccount, figures, log } = await stage();
  const settled = async (answer: Promise<unknown>) => {
    await here.clock.settle();
    return answer;
  };
  await settled(askAccount(ADA, 'register', { ...registration('ada'), clientId: 'app', confirmed: false }));
  server.outcome = { kind: 'rejected', reason: '550 no such mailbox' };
  await post('lost');
  await here.clock.advance(1_000);
  const problem = async () => (await here.shared.get(accounts, { account: ADA }))?.undelivered?.reason;
  assert.equal(await problem(), '550 no such mailbox');
  assert.equal(figures.failed.rejected, 2, 'the confirmation mail, too');
  assert.ok(log.some((line) => 'message' in line && line.message === 'gave up a mail'));
  server.outcome = { kind: 'sent' };
  await post('next');
  await here.clock.advance(1_000);
  assert.equal(sent.at(-1)?.subject, 'next', 'later mails are sent');
  await settled(askAccount(ADA, 'resendConfirmation', { clientId: 'app', email: 'new@example.org', nonce: 'n' }));
  assert.equal(await problem(), undefined);
  here.close();
});

test('a mail that could not be sent in five days is dropped', async () => {
  const { here, server, post, subjects, figures } = await stage();
  await post('late');
  await here.clock.advance(MAIL_TRIED_MS_MAX + 120_000);
  assert.equal(figures.failed.expired, 1);
  server.outcome = { kind: 'sent' };
  await post('another');
  await here.clock.advance(120_000);
  assert.deepEqual(subjects(), ['another']);
  here.close();
});
