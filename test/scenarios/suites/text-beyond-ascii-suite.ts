import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../cli/operator-socket.js';
import { askAt, targetAt } from '../../kit/network/sockets.js';
import { Person } from '../../kit/services/server.js';
import type { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { makePeople } from '../cluster/people.js';

/** Timeout of a mail, which is an effect after the reply. */
const MAIL_MS_MAX = 60_000;
/** Only Latin-1 letters, then letters of two and three bytes, then one beyond the Basic Multilingual Plane. */
const TEXTS = ['Café – déjà vu', 'Ёлка', 'スター・ウォーズ', 'naïve 🦜'] as const;

let server: ServerProcess;
let ada: Person;

/** Registers the tests of a server that `open` starts. */
export function textTests(open: () => Promise<ServerProcess>): void {
  before(async () => {
    server = await open();
    const [made] = await makePeople(server.dataDir, ['ada']);
    assert.ok(made);
    ada = new Person(targetAt(server.url), made.id, made.name, made.token);
  });
  after(() => server?.dispose());
  titleTest();
  hashtagTest();
  statusTest();
  listTest();
  searchTest();
  mailTest();
}

function titleTest(): void {
  test('the title of every page that people sign in with has its dash', async () => {
    for (const path of ['/', '/auth/sign_in', '/auth/password/new', '/privacy-policy']) {
      const page = await askAt(server.url, 'GET', path);
      assert.equal(page.status, 200, path);
      const title = /<title>([^<]*)<\/title>/.exec(page.body)?.[1];
      assert.match(title ?? '', / – /, `${path}: ${title}`);
      assert.doesNotMatch(page.body, /[\u0080-\u009f\u00c2\ufffd]/, path);
    }
  });
}

function hashtagTest(): void {
  test('a hashtag ends where its letters end, in every script', async () => {
    const cases = [
      ['#スター・ウォーズ ok', ['スター・ウォーズ']],
      ['#foo»bar', ['foo']],
      ['#Ёлка и #café', ['ёлка', 'cafe']],
      ['#foo–bar', ['foo']],
    ] as const;
    for (const [status, tags] of cases) {
      const { body } = await ada.post('/api/v1/statuses', { status });
      assert.deepEqual(
        body.tags.map(({ name }: { name: string }) => name),
        tags,
        status,
      );
      const timeline = await ada.get(`/api/v1/timelines/tag/${encodeURIComponent(tags[0])}`);
      assert.ok(
        timeline.body.some(({ id }: { id: string }) => id === body.id),
        `${tags[0]} has its timeline`,
      );
    }
  });
}

function statusTest(): void {
  test('a status, its source, its revisions and its card-free page contain the written text', async () => {
    for (const text of TEXTS) {
      const id = await ada.says(text, { spoiler_text: text });
      const status = (await ada.get(`/api/v1/statuses/${id}`)).body;
      assert.equal(status.spoiler_text, text);
      assert.equal(status.content, `<p>${text}</p>`);
      const source = (await ada.get(`/api/v1/statuses/${id}/source`)).body;
      assert.deepEqual([source.text, source.spoiler_text], [text, text]);
      const edited = await ada.put(`/api/v1/statuses/${id}`, { status: `${text}!`, spoiler_text: text });
      assert.equal(edited.body.content, `<p>${text}!</p>`);
      const history = (await ada.get(`/api/v1/statuses/${id}/history`)).body;
      assert.deepEqual(
        history.map(({ content }: { content: string }) => content),
        [`<p>${text}</p>`, `<p>${text}!</p>`],
      );
    }
  });
}

function listTest(): void {
  test('lists, filters and profiles contain the written text', async () => {
    for (const text of TEXTS) {
      const list = (await ada.post('/api/v1/lists', { title: text })).body;
      assert.equal(list.title, text);
      assert.equal((await ada.get(`/api/v1/lists/${list.id}`)).body.title, text);
      const wanted = { title: text, context: ['home'], keywords_attributes: [{ keyword: text }] };
      const filter = (await ada.post('/api/v2/filters', wanted)).body;
      const found = (await ada.get(`/api/v2/filters/${filter.id}`)).body;
      assert.deepEqual([found.title, found.keywords[0].keyword], [text, text]);
      const profile = { display_name: text, note: text, fields_attributes: [{ name: text, value: text }] };
      const { body } = await ada.server.ask('PATCH', '/api/v1/accounts/update_credentials', profile, ada.token);
      assert.deepEqual([body.display_name, body.source.note, body.fields[0].name], [text, text, text]);
    }
    const { body } = await ada.get('/api/v1/lists');
    assert.ok(TEXTS.every((text) => body.some(({ title }: { title: string }) => title === text)));
  });
}

function searchTest(): void {
  test('a search finds words and hashtags of every script', async () => {
    const id = await ada.says('Größe und Ёжик #スター・ウォーズ');
    for (const q of ['größe', 'ёжик']) {
      const { body } = await ada.get(`/api/v2/search?type=statuses&q=${encodeURIComponent(q)}`);
      assert.ok(
        body.statuses.some((status: { id: string }) => status.id === id),
        q,
      );
    }
    for (const q of ['#スター', '＃スター・ウォーズ', 'スター']) {
      const { body } = await ada.get(`/api/v2/search?type=hashtags&q=${encodeURIComponent(q)}`);
      assert.ok(
        body.hashtags.some(({ name }: { name: string }) => name === 'スター・ウォーズ'),
        q,
      );
    }
  });
}

function mailTest(): void {
  test('a mail contains the written text', async () => {
    const operate = operatorClient(server.dataDir);
    const identity = { email: 'mod@example.org', password: 'correct horse battery' };
    await operate('account.create', { username: 'mod', ...identity, role: 'moderator', confirmed: true });
    const [ben] = await makePeople(server.dataDir, ['ben']);
    const comment = TEXTS.join(' · ');
    const reported = await ada.post('/api/v1/reports', { account_id: ben?.id, comment });
    assert.equal(reported.status, 200, JSON.stringify(reported.body));
    const mail = await until('the mail about the report', () => mailTo(identity.email), MAIL_MS_MAX);
    assert.ok(mail.includes(comment), mail);
  });
}

/** Returns the text of the mail to that address. It is quoted-printable or base64 (RFC 2045 §6.7, §6.8). */
async function mailTo(address: string): Promise<string | undefined> {
  const folder = join(server.dataDir, 'mail');
  for (const name of await readdir(folder).catch(() => [])) {
    const raw = name.endsWith('.eml') ? await readFile(join(folder, name), 'utf8') : '';
    if (!raw.includes(address)) continue;
    const body = raw.slice(raw.indexOf('\r\n\r\n') + 4);
    if (/^content-transfer-encoding: base64/im.test(raw)) return Buffer.from(body, 'base64').toString();
    const bytes = body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString();
  }
  return undefined;
}
