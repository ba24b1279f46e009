import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { type ParsedMail, parsedMail } from '../../kit/mail/parsed-mail.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { jsonOf, unzipped } from '../../kit/services/unzipped.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';
import { BrowserSessions } from '../requests/browser-sessions.js';

const ARRIVED_MS_MAX = 120_000;
const PATH = '/settings/archive';
const POSTS = 250;
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const mails: ParsedMail[] = [];
let smtp: SMTPServer;
let server: ServerProcess;
before(async () => {
  smtp = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'] },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(parsedMail(Buffer.concat(chunks).toString()));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const { port } = smtp.server.address() as AddressInfo;
  server = await ServerProcess.start({ SMTP_URL: `smtp://127.0.0.1:${port}`, LOG_LEVEL: 'fatal', RATE_LIMITS: 'off' });
});
after(async () => {
  await server?.dispose();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

async function upload({ token }: Person): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([DOT], { type: 'image/png' }), 'dot.png');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${server.url}/api/v2/media`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { readonly id: string }).id;
}

test('a person asks for an archive, gets a mail when it is ready, and nobody else can download it', async () => {
  const [ann, bob] = (await makePeople(server.dataDir, ['ann', 'bob'])) as [Person, Person];
  const say = (person: Person, body: object) => call(server.url, person, 'POST', '/api/v1/statuses', body);
  const bobs = (await say(bob, { status: 'look' })) as { readonly id: string; readonly uri: string };
  for (let number = 0; number < POSTS; number++) await say(ann, { status: `post ${number}` });
  await say(ann, { status: 'a dot', media_ids: [await upload(ann)], visibility: 'private' });
  await call(server.url, ann, 'POST', `/api/v1/statuses/${bobs.id}/bookmark`);
  const [own, others] = await Promise.all([ann, bob].map((one) => new BrowserSessions(server.url, one).session()));
  assert.ok(own !== undefined && others !== undefined);
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}${path}`, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' });
  const post = (body: Readonly<Record<string, string>>) =>
    fetch(`${server.url}${PATH}`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(body) },
      headers: { accept: 'text/html', ...own.headers },
    });
  assert.equal((await post({ csrf: 'forged' })).status, 403);
  assert.equal((await get(`${PATH}/download`, own.headers)).status, 404, 'there is none yet');
  assert.equal((await post(own.body)).status, 303);

  const mail = await until('the mail', () => mails.find(({ text }) => text.includes(PATH)), ARRIVED_MS_MAX);
  assert.deepEqual([mail.to, mail.subject], ['ann@example.org', 'Your archive is ready']);
  assert.match(
    await (await get(PATH, own.headers)).text(),
    /Your archive is ready\..*href="\/settings\/archive\/download"/s,
  );

  const answer = await get(`${PATH}/download`, own.headers);
  assert.deepEqual(
    [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')],
    [200, 'application/zip', 'private, no-store'],
  );
  assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="ann-\d{4}-\d\d-\d\d\.zip"$/);
  const files = unzipped(Buffer.from(await answer.arrayBuffer()));
  assert.equal(jsonOf(files, 'actor.json').preferredUsername, 'ann');
  const outbox = jsonOf(files, 'outbox.json');
  assert.equal(outbox.orderedItems.length, POSTS + 1);
  const picture = outbox.orderedItems.at(-1).object.attachment[0].url.split('/media/')[1];
  assert.ok((files.get(`media/${picture}`)?.length ?? 0) > 0);
  assert.deepEqual(jsonOf(files, 'bookmarks.json').orderedItems, [bobs.uri]);

  const signedOut = await get(`${PATH}/download`);
  assert.deepEqual([signedOut.status, signedOut.headers.get('location')?.startsWith('/auth/sign_in')], [302, true]);
  assert.equal((await get(`${PATH}/download`, others.headers)).status, 404);
  const again = await post(own.body);
  assert.equal(again.status, 422);
  assert.match(await again.text(), /once in 7 days/);
  assert.equal(mails.filter(({ text }) => text.includes(PATH)).length, 1);
});
