import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operate } from '../../../cli/operations.js';
import { mailsIn, type ParsedMail } from '../../kit/mail/parsed-mail.js';
import { EventStream } from '../../kit/network/event-stream.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { makeApp, makeUser, PASSWORD, signIn } from './stage.js';

/** Bound of the wait for a mail, which is an effect after the reply. */
const MAIL_MS_MAX = 30_000;

let server: TestServer;
let appToken: string;
let chief: Person;
before(async () => {
  server = await TestServer.start({ PASSWORD_GRANT: 'on', REGISTRATIONS: 'approval', TRUSTED_PROXIES: 'loopback' });
  const app = await makeApp(server);
  const fields = { ...app, grant_type: 'client_credentials', scope: 'read write' };
  appToken = (await server.ask('POST', '/oauth/token', fields)).body.access_token;
  chief = await server.staff('chief', 'admin');
});
after(() => server?.stop());

const mailsTo = async (to: string) => (await mailsIn(server.folder)).filter((mail) => mail.to === to);
const mailTo = (to: string, subject: RegExp): Promise<ParsedMail> =>
  until(`a mail to ${to}`, async () => (await mailsTo(to)).find((mail) => subject.test(mail.subject)), MAIL_MS_MAX);

async function signUp(username: string, locale: string) {
  const wanted = { username, email: `${username}@example.org`, password: PASSWORD, agreement: true, locale };
  const made = await server.ask('POST', '/api/v1/accounts', { ...wanted, reason: 'to write' }, appToken);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body.access_token as string;
}

async function confirmed(username: string, locale = 'en') {
  const token = await signUp(username, locale);
  const { text } = await mailTo(`${username}@example.org`, /confirm|bestätig/i);
  const link = /\/auth\/confirmation\?\S+/.exec(text)?.[0] ?? '';
  assert.equal((await server.get(link)).status, 200);
  const id = (await server.node.services.registry.find(`acct:${username}`)) ?? '';
  return { id, token, link };
}

test('a mail has the same words as text and as HTML, in the language of the sign-up', async () => {
  await signUp('greta', 'de-AT');
  const mail = await mailTo('greta@example.org', /Bestätige deine E-Mail-Adresse/);
  assert.match(mail.headers.get('content-type') ?? '', /^multipart\/alternative/);
  const link = /http\S+\/auth\/confirmation\?confirmation_token=[\w.-]+/.exec(mail.text)?.[0] ?? 'none';
  for (const words of ['Hallo greta,', link]) {
    assert.ok(mail.text.includes(words), words);
    assert.ok(mail.html.includes(words), words);
  }
  assert.match(mail.html, /<html lang="de">/);
  assert.doesNotMatch(mail.html, /<(script|img|link|iframe)/);
  await signUp('fleur', 'fr');
  await mailTo('fleur@example.org', /Confirm your e-mail address/);
});

test('the first corrected address gets its mail at once, and the former one learns of it', async () => {
  const token = await signUp('typo', 'en');
  const resend = (body: object) => server.ask('POST', '/api/v1/emails/confirmations', body, token);
  assert.equal((await resend({})).status, 200);
  assert.equal((await resend({ email: 'right@example.org' })).status, 200);
  assert.equal((await resend({ email: 'righter@example.org' })).status, 200, 'no limit without rate limits');
  await mailTo('righter@example.org', /Confirm/);
  const former = await mailTo('typo@example.org', /address was changed/);
  assert.doesNotMatch(former.text + former.html, /right/, 'the former address may be a stranger');
});

test('a confirmed sign-up notifies the accounts that may manage users, on the stream, too', async () => {
  const stream = await EventStream.open(server, 'user', chief.token);
  try {
    const { id } = await confirmed('nova');
    const told = await until(
      'the notification',
      async () => {
        const { body } = await chief.get('/api/v1/notifications?types[]=admin.sign_up');
        return body.find((one: { account: { id: string } }) => one.account.id === id);
      },
      MAIL_MS_MAX,
    );
    assert.equal(told.type, 'admin.sign_up');
    const groups = (await chief.get('/api/v2/notifications?types[]=admin.sign_up')).body.notification_groups;
    assert.ok(groups.some((one: { sample_account_ids: string[] }) => one.sample_account_ids.includes(id)));
    const streamed = () =>
      stream.dataOf('notification').some((data) => /admin\.sign_up/.test(data) && data.includes(id));
    await until('the streamed notification', async () => streamed() || undefined, MAIL_MS_MAX);
  } finally {
    await stream.close();
  }
});

test('an applicant learns of the approval or the rejection', async () => {
  const [yes, no] = [await confirmed('yes', 'de'), await confirmed('no')];
  assert.equal((await chief.post(`/api/v1/admin/accounts/${yes.id}/approve`)).status, 200);
  assert.equal((await chief.post(`/api/v1/admin/accounts/${no.id}/reject`)).status, 200);
  const approved = await mailTo('yes@example.org', /freigegeben/);
  assert.match(approved.text, /\/auth\/sign_in/);
  await mailTo('no@example.org', /not approved/);
});

test('a warning carries the words of the moderator, escaped, and where to appeal', async () => {
  const contact = { collection: 'settings', key: 'contact_email', text: 'help@here.example' };
  await operate(server.node, 'instance.put', contact, () => undefined);
  const ben = await server.person('ben');
  const text = 'Read <b>the rules</b> & "calm down"\u202e';
  await chief.post(`/api/v1/admin/accounts/${ben.id}/action`, { type: 'silence', text });
  const mail = await mailTo('ben@example.org', /limited/);
  assert.match(mail.text, /> Read <b>the rules<\/b> & "calm down"/);
  assert.match(mail.html, /Read &lt;b&gt;the rules&lt;\/b&gt; &amp; &quot;calm down&quot;/);
  for (const form of [mail.text, mail.html]) assert.match(form, /help@here\.example/);
});

test('a report names the account by its address, and its mails can be ended by one click', async () => {
  const [cleo, dora] = [await server.person('cleo'), await server.person('dora')];
  const report = async (comment: string) =>
    (await cleo.post('/api/v1/reports', { account_id: dora.id, comment, category: 'spam' })).body.id as string;
  const mail = await mailTo('chief@example.org', new RegExp(`#${await report('rude')}`));
  assert.match(mail.text, /@dora@localhost/);
  assert.match(mail.text, /http:\/\/localhost\/@dora/);
  assert.match(mail.text, /@cleo@localhost/);
  assert.equal(mail.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  const url = new URL(/<([^>]+)>/.exec(mail.headers.get('list-unsubscribe') ?? '')?.[1] ?? '');
  const path = url.pathname + url.search;
  assert.equal((await server.get(path)).status, 200);
  const oneClick = { 'List-Unsubscribe': 'One-Click' };
  assert.equal((await server.ask('POST', `${path}x`, oneClick)).status, 422, 'a token of somebody else');
  for (const method of ['GET', 'POST'])
    assert.equal((await server.ask(method, `/auth/mails/x${url.search}`)).status, 422, 'no such list');
  const second = await report('still mailed: a look at the page ends nothing');
  await mailTo('chief@example.org', new RegExp(`#${second}`));
  assert.equal((await server.ask('POST', path, oneClick)).status, 200);
  const third = await report('no mail');
  await until(
    'the notification',
    async () => {
      const { body } = await chief.get('/api/v1/notifications?types[]=admin.report');
      return body.some((one: { report: { id: string } }) => one.report.id === third) || undefined;
    },
    MAIL_MS_MAX,
  );
  assert.equal((await server.ask('POST', path, { wanted: true })).status, 200);
  const fourth = await report('mailed again');
  await mailTo('chief@example.org', new RegExp(`#${fourth}`));
  assert.equal(
    (await mailsTo('chief@example.org')).some(({ subject }) => subject.includes(third)),
    false,
  );
});

test('a sign-in from a new address or with a new browser is mailed once, the first one never', async () => {
  await makeUser(server, 'emil');
  const enter = async (address: string, agent: string) => {
    const visitor = new Visitor(server, { 'x-forwarded-for': address, 'user-agent': agent });
    await signIn(visitor, '/auth/sign_in', 'emil');
  };
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  const news = async () => (await mailsTo('emil@example.org')).filter(({ subject }) => /new sign-in/.test(subject));
  await enter('192.0.2.7', firefox);
  await enter('192.0.2.200', firefox.replaceAll('140', '141'));
  await enter('198.51.100.9', firefox);
  await until('the first mail', async () => (await news())[0], MAIL_MS_MAX);
  await enter('198.51.100.9', firefox);
  await enter('192.0.2.7', chrome);
  await until('the second mail', async () => (await news())[1], MAIL_MS_MAX);
  const texts = (await news()).map(({ text }) => text);
  assert.equal(texts.length, 2);
  assert.ok(texts.some((text) => /198\.51\.100\.9/.test(text) && /Firefox, Linux/.test(text)));
  assert.ok(texts.some((text) => /192\.0\.2\.7/.test(text) && /Chrome, Windows/.test(text)));
});

test('a deleted account gets a last mail', async () => {
  const { id } = await confirmed('gone');
  await chief.post(`/api/v1/admin/accounts/${id}/approve`);
  await chief.post(`/api/v1/admin/accounts/${id}/action`, { type: 'suspend', send_email_notification: false });
  assert.equal((await chief.remove(`/api/v1/admin/accounts/${id}`)).status, 200);
  await mailTo('gone@example.org', /was deleted/);
});
