import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { isProblem } from '../../../../actors/domain/problem.js';
import { REPORT_COMMENT_CHARS_MAX } from '../../../../actors/report/report.js';
import { putEntry } from '../../../../gateway/settings/changes.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

const mails: { to: string; text: string }[] = [];
/** Number of refused mails before the server accepts one. */
let refusals = 0;
let smtp: SMTPServer;
let server: TestServer;
let [ada, ben, mod, admin]: Person[] = [];
const people = () => ({ ada: ada as Person, ben: ben as Person, mod: mod as Person, admin: admin as Person });

before(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusals > 0) {
          refusals--;
          done(new Error('try again later'));
          return;
        }
        const text = Buffer.concat(chunks).toString();
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, text });
        done();
      });
    },
  });
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done));
  const { port } = smtp.server.address() as { port: number };
  server = await TestServer.start({ SMTP_URL: `smtp://127.0.0.1:${port}` });
  ada = await server.person('ada');
  ben = await server.person('ben');
  mod = await server.staff('mod', 'moderator');
  admin = await server.staff('chief', 'admin');
});
after(async () => {
  await server?.stop();
  await new Promise<void>((done) => smtp.close(() => done()));
});

const about = (id: string) => mails.filter(({ text }) => text.includes(id)).map(({ to }) => to);

test('a report is answered at once and reaches each moderator by one mail, even if the mail server refuses at first', async () => {
  const { ada, ben, mod, admin } = people();
  refusals = 1;
  const status = await ben.says('spam spam');
  const body = { account_id: ben.id, status_ids: [status], comment: 'not nice', category: 'spam', forward: true };
  const { status: code, body: report } = await ada.post('/api/v1/reports', body);
  assert.equal(code, 200);
  assert.deepEqual(
    [report.action_taken, report.category, report.comment, report.forwarded, report.status_ids],
    [false, 'spam', 'not nice', false, [status]],
  );
  assert.equal(report.target_account.id, ben.id);
  await until('a mail to each', async () => about(report.id).length === 2 || undefined, 20_000);
  assert.deepEqual(about(report.id).sort(), [`${admin.name}@example.org`, `${mod.name}@example.org`]);
  const told = (await mod.get('/api/v1/notifications?types[]=admin.report')).body;
  assert.equal(told[0].report.id, report.id);
});

test('an impossible report is refused, and invisible objects are not found', async () => {
  const { ada, ben } = people();
  const hidden = await ben.says('secret', { visibility: 'direct' });
  const post = async (body: object) => (await ada.post('/api/v1/reports', body)).status;
  assert.equal(await post({ account_id: '1' }), 404);
  assert.equal(await post({ account_id: ben.id, status_ids: [hidden] }), 404);
  assert.equal(await post({ account_id: ben.id, status_ids: [await ada.says('my own')] }), 404);
  assert.equal(await post({ account_id: ada.id }), 422);
  assert.equal(await post({ account_id: ben.id, rule_ids: ['1'] }), 422);
  assert.equal(await post({ account_id: ben.id, category: 'boring' }), 422);
  assert.equal(await post({ account_id: ben.id, comment: 'x'.repeat(REPORT_COMMENT_CHARS_MAX + 1) }), 422);
});

test('moderators find reports, assign, correct, resolve and reopen them', async () => {
  const { ada, ben, mod, admin } = people();
  const rule = await putEntry(server.node.services, '', { collection: 'rules', text: { text: 'Be kind', hint: '' } });
  assert.ok(!isProblem(rule));
  const { body: report } = await ada.post('/api/v1/reports', { account_id: ben.id, rule_ids: [rule.id] });
  assert.equal(report.category, 'violation');
  const path = `/api/v1/admin/reports/${report.id}`;
  const ids = async (query: string) =>
    (await mod.get(`/api/v1/admin/reports${query}`)).body.map((one: { id: string }) => one.id);
  assert.ok((await ids('')).includes(report.id));
  assert.ok((await ids(`?target_account_id=${ben.id}&account_id=${ada.id}`)).includes(report.id));
  assert.deepEqual(await ids(`?target_account_id=${ada.id}`), []);
  assert.deepEqual((await mod.get(path)).body.rules[0].text, 'Be kind');
  assert.equal((await mod.post(`${path}/assign_to_self`)).body.assigned_account.id, mod.id);
  assert.equal((await admin.post(`${path}/unassign`)).body.assigned_account, null);
  assert.equal((await mod.put(path, { category: 'spam' })).body.category, 'spam');
  const resolved = (await mod.post(`${path}/resolve`)).body;
  assert.deepEqual([resolved.action_taken, resolved.action_taken_by_account.id], [true, mod.id]);
  assert.ok(!(await ids('')).includes(report.id));
  assert.ok((await ids('?resolved=true')).includes(report.id));
  assert.equal((await mod.post(`${path}/reopen`)).body.action_taken, false);
  assert.equal((await mod.post('/api/v1/admin/reports/1/resolve')).status, 404);
  for (const who of [ada, await server.staff('nobody', 'user')]) assert.equal((await who.get(path)).status, 403);
});
