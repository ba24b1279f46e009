import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import { mailKind } from '../../../actors/kinds/mail.js';
import { type Commands, type Events, outgoingMail, type State, TOKEN_PLACE } from '../../../actors/mail/mail.js';
import { MAIL_TRIED_MS_MAX } from '../../../actors/reactions/mail.js';
import { askerOf } from '../../../actors/runtime/kind.js';
import { journal } from '../../../store/tables.js';
import type { Mail } from '../../../transport/mailer.js';
import { given } from '../../kit/actors/given.js';
import { Stage } from '../../kit/actors/stage.js';
import { keyedTokens } from '../../kit/keyed-tokens.js';

const greeting = { to: 'ada@example.org', subject: 'Hello', text: 'Good morning' };
const ADA = '000000000000000065';

test('a mail is recorded before it is sent', () => {
  const { events } = given<State, Commands, Events>(outgoingMail, {}).when('post', greeting);
  assert.deepEqual(
    events.map((event) => ({ ...event, atMs: 0 })),
    [{ type: 'posted', ...greeting, atMs: 0 }],
  );
});

/** Returns a mail actor whose mail server is unavailable until `open`. */
async function stage() {
  const here = new Stage();
  const sent: Mail[] = [];
  const server = { isOpen: false, tries: 0 };
  const mailer = {
    send: async (one: Mail) => {
      server.tries++;
      if (!server.isOpen) throw new Unavailable('no mail server');
      sent.push(one);
    },
  };
  const kind = mailKind({ mailer, clock: here.clock, keyedTokens });
  const node = await here.node(1, {}, [kind]);
  return { here, sent, server, node, post: askerOf(kind, node.runtime) };
}

test('a mail is accepted at once, and mails wait in order until the mail server accepts them', async () => {
  const { here, sent, server, post } = await stage();
  for (const subject of ['one', 'two']) {
    const answer = post(ADA, 'post', { ...greeting, subject });
    await here.clock.settle();
    assert.deepEqual(await answer, {});
  }
  await here.clock.advance(600_000);
  assert.ok(server.tries > 3);
  assert.deepEqual(sent, []);
  server.isOpen = true;
  await here.clock.advance(120_000);
  assert.deepEqual(
    sent.map(({ subject }) => subject),
    ['one', 'two'],
  );
  here.close();
});

test('the journal stores the nonce of a link, and only the mail contains the token', async () => {
  const link = { purpose: 'reset', nonce: 'abcdefghijklmnopqrstuv' };
  const text = `Open https://here.example/?t=${TOKEN_PLACE} now`;
  const { here, sent, server, post } = await stage();
  void post(ADA, 'post', { ...greeting, text, link });
  await here.clock.advance(60_000);
  assert.ok(server.tries > 1);
  server.isOpen = true;
  await here.clock.advance(120_000);
  const token = keyedTokens.make('reset', { account: ADA, nonce: link.nonce });
  assert.deepEqual(
    sent.map((one) => one.text),
    [`Open https://here.example/?t=${token} now`],
  );
  const rows = await here.shared.range(journal, { actor: `mailbox/${ADA}`, bucket: 0 }, { limit: 10 });
  assert.equal(rows.length, 1);
  const recorded = Buffer.from(rows[0]?.value.events[0]?.payload ?? []);
  const [, nonce = '', mac = ''] = token.split('.');
  assert.deepEqual([recorded.includes(nonce), recorded.includes(mac)], [true, false]);
  here.close();
});

test('a mail that could not be sent in five days is dropped', async () => {
  const { here, sent, server, post } = await stage();
  void post(ADA, 'post', greeting);
  await here.clock.advance(MAIL_TRIED_MS_MAX + 120_000);
  server.isOpen = true;
  void post(ADA, 'post', { ...greeting, subject: 'another' });
  await here.clock.advance(120_000);
  assert.deepEqual(
    sent.map(({ subject }) => subject),
    ['another'],
  );
  here.close();
});
