import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { auditOf } from '../../../../../gateway/moderation/audit.js';
import type { Visitor } from '../../../../kit/network/visitor.js';
import { type Person, TestServer } from '../../../../kit/services/server.js';
import { makeUser, signedIn } from '../../../oauth/stage.js';
import { sendFile } from './staff-browser.js';

const BLOCKS = '/moderation/domain_blocks';
const ALLOWS = '/moderation/domain_allows';
const PROVIDERS = '/moderation/email_domain_blocks';
const MARKUP = '<script>alert(1)</script>';
let server: TestServer;
let chief: Visitor;
let api: Person;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'chief', 'admin');
  chief = await signedIn(server, 'chief');
  api = await server.staff('boss', 'admin');
});
after(() => server?.stop());

const stored = async (collection: string) => (await api.get(`/api/v1/admin/${collection}`)).body;
const idIn = (text: string, path: string, name: string) =>
  new RegExp(
    `<form class="group" method="post" action="${path}/(\\d+)/delete">(?:(?!</form>).)*<bdi>${name}<`,
    's',
  ).exec(text)?.[1] ?? '';

test('an administrator limits a server, changes the limit and lifts it (/moderation/domain_blocks)', async () => {
  await chief.get(BLOCKS);
  const fields = {
    domain: ' Bad.Example ',
    severity: 'suspend',
    reject_media: 'true',
    public_comment: `spam ${MARKUP}`,
  };
  assert.equal((await chief.submit(BLOCKS, fields)).location, `${BLOCKS}?done=true`);
  const { text } = await chief.get(`${BLOCKS}?done=true`);
  assert.match(text, /role="status">Done\..*bad\.example.*Suspend.*Reject media.*spam &lt;script>/s);
  assert.ok(!text.includes(MARKUP));
  const page = `${BLOCKS}/${idIn(text, BLOCKS, 'bad.example')}`;
  assert.match((await chief.get(page)).text, /<h1>Change: bad\.example.*value="suspend" selected/s);
  const changed = { severity: 'noop', reject_reports: 'true', private_comment: 'known', obfuscate: 'true' };
  assert.equal((await chief.submit(page, changed)).status, 303);
  const [{ id, created_at, digest, ...limit }] = await stored('domain_blocks');
  assert.deepEqual(limit, {
    ...{ domain: 'bad.example', severity: 'noop', reject_media: false, reject_reports: true, obfuscate: true },
    ...{ private_comment: 'known', public_comment: null },
  });
  await chief.get(BLOCKS);
  assert.equal((await chief.submit(`${page}/delete`, {})).location, `${BLOCKS}?done=true`);
  assert.deepEqual(await stored('domain_blocks'), []);
  assert.match((await chief.get(BLOCKS)).text, /There are no entries/);
  assert.deepEqual(
    (await auditOf(server.node.services, 3)).map(({ by }) => by),
    ['chief', 'chief', 'chief'],
  );
});

test('an entry that is refused shows the form again with what was typed, and changes nothing', async () => {
  const before = await stored('domain_blocks');
  for (const fields of [
    { domain: 'not a domain', severity: 'silence', public_comment: 'Typed words' },
    { domain: '', severity: 'silence', public_comment: 'Typed words' },
    { domain: 'fine.example', severity: 'explode', public_comment: 'Typed words' },
    { domain: 'fine.example', severity: 'silence', public_comment: `Typed words${'x'.repeat(3_000)}` },
  ]) {
    await chief.get(BLOCKS);
    const refused = await chief.submit(BLOCKS, fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /role="alert"/);
    assert.ok(refused.text.includes('Typed words'));
    assert.ok(fields.domain === '' || refused.text.includes(`value="${fields.domain}"`));
  }
  await chief.get(BLOCKS);
  assert.equal((await chief.submit(BLOCKS, { domain: 'a.example', severity: 'noop', csrf: 'forged' })).status, 403);
  for (const path of [`${BLOCKS}/999999999999999999`, `${BLOCKS}/nothing`])
    assert.equal((await chief.get(path)).status, 404);
  await chief.get(BLOCKS);
  const { csrf = '' } = chief.hidden(BLOCKS);
  assert.equal((await chief.post(`${BLOCKS}/999999999999999999/delete`, { csrf })).status, 404);
  assert.deepEqual(await stored('domain_blocks'), before);
});

test('limits are exported and imported as CSV; others stay, bad lines are skipped (/moderation/domain_blocks/import)', async () => {
  await chief.get(BLOCKS);
  await chief.submit(BLOCKS, { domain: 'first.example', severity: 'silence' });
  const csv = [
    '#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate',
    'first.example,suspend,false,false,,false',
    'second.example,suspend,true,false,"it is, well, spam",true',
    'not a domain,suspend,false,false,,false',
    'third.example,explode,false,false,,false',
  ].join('\n');
  const sent = await sendFile(chief, BLOCKS, csv);
  assert.equal(sent.location, `${BLOCKS}?added=1&skipped=3`);
  assert.match((await chief.get(`${BLOCKS}?added=1&skipped=3`)).text, /role="status">1 added, 3 skipped\./);
  const exported = await chief.get(`${BLOCKS}/export`);
  assert.match(exported.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(exported.headers.get('content-disposition') ?? '', /^attachment; filename="domain_blocks\.csv"/);
  assert.deepEqual(exported.text.trim().split('\n').slice(1).sort(), [
    'first.example,silence,false,false,,false',
    'second.example,suspend,true,false,"it is, well, spam",true',
  ]);
});

test('allowed servers are kept, exported and imported (/moderation/domain_allows/import)', async () => {
  await chief.get(ALLOWS);
  assert.equal((await chief.submit(ALLOWS, { domain: 'good.example' })).status, 303);
  const sent = await sendFile(chief, ALLOWS, '#domain\ngood.example\nbetter.example\n-bad-\n');
  assert.equal(sent.location, `${ALLOWS}?added=1&skipped=2`);
  assert.deepEqual((await chief.get(`${ALLOWS}/export`)).text.trim().split('\n').sort(), [
    '#domain',
    'better.example',
    'good.example',
  ]);
  const page = `/moderation/domain_allows/${idIn((await chief.get(ALLOWS)).text, ALLOWS, 'good.example')}/delete`;
  assert.equal((await chief.submit(page, {})).status, 303);
  assert.deepEqual(
    (await stored('domain_allows')).map((one: { domain: string }) => one.domain),
    ['better.example'],
  );
});

test('a file without a domain, none at all, and a forged form change nothing', async () => {
  const before = await stored('domain_blocks');
  for (const text of ['', '\n\n', undefined]) {
    const sent = await sendFile(chief, BLOCKS, text);
    assert.equal(sent.status, 422);
    assert.match(sent.text, /id="file-wrong" role="alert">Choose a file/);
  }
  assert.equal((await sendFile(chief, BLOCKS, '\u0000\ufffd\u0001,,,,')).status, 303);
  assert.equal((await sendFile(chief, BLOCKS, 'evil.example', { csrf: 'forged' })).status, 403);
  for (const bytes of [3_000_000, 10_000_000])
    assert.equal((await sendFile(chief, BLOCKS, 'x'.repeat(bytes))).status, 413);
  const many = await sendFile(chief, BLOCKS, Array.from({ length: 5_001 }, (_, one) => `m${one}.example`).join('\n'));
  assert.equal(many.status, 422);
  assert.match(many.text, /id="file-wrong" role="alert">The list names more than 5000 domains/);
  assert.deepEqual(await stored('domain_blocks'), before);
});

test('sign-ups are blocked by provider, address and network, and unblocked', async () => {
  const hash = 'ab'.repeat(32);
  const network = { ip: '192.0.2.0/24', severity: 'no_access', expires_in: '86400' };
  for (const [path, fields, name, removed] of [
    [
      PROVIDERS,
      { domain: 'mail.example' },
      'mail\\.example',
      (id: string) => `/moderation/email_domain_blocks/${id}/delete`,
    ],
    [
      '/moderation/canonical_email_blocks',
      { email: '', canonical_email_hash: hash },
      hash,
      (id: string) => `/moderation/canonical_email_blocks/${id}/delete`,
    ],
    ['/moderation/ip_blocks', network, '192\\.0\\.2\\.0/24', (id: string) => `/moderation/ip_blocks/${id}/delete`],
  ] as const) {
    const collection = path.slice('/moderation/'.length);
    await chief.get(path);
    assert.equal((await chief.submit(path, fields)).location, `${path}?done=true`, collection);
    const { text } = await chief.get(path);
    const id = idIn(text, path, name);
    assert.notEqual(id, '', collection);
    await chief.get(path);
    const again = await chief.submit(path, fields);
    assert.equal(again.status, 422);
    assert.match(again.text, /has already been taken/);
    await chief.get(path);
    assert.equal((await chief.submit(removed(id), {})).status, 303);
    assert.deepEqual(await stored(collection), []);
  }
  await chief.get('/moderation/canonical_email_blocks');
  assert.equal((await chief.submit('/moderation/canonical_email_blocks', { email: 'A.b+c@mail.example' })).status, 303);
  assert.equal((await stored('canonical_email_blocks')).length, 1);
});

test('a block of addresses keeps its end until another one is chosen (/moderation/ip_blocks/:id)', async () => {
  const path = '/moderation/ip_blocks';
  await chief.get(path);
  await chief.submit(path, { ip: '198.51.100.7', severity: 'sign_up_block', expires_in: '86400' });
  const [before] = await stored('ip_blocks');
  assert.notEqual(before.expires_at, null);
  await chief.get(`${path}/${before.id}`);
  await chief.submit(`${path}/${before.id}`, { severity: 'no_access', comment: 'scans', expires_in: 'keep' });
  const [kept] = await stored('ip_blocks');
  assert.deepEqual([kept.severity, kept.comment, kept.expires_at], ['no_access', 'scans', before.expires_at]);
  await chief.get(`${path}/${before.id}`);
  await chief.submit(`${path}/${before.id}`, { severity: 'no_access', expires_in: '604800' });
  assert.notEqual((await stored('ip_blocks'))[0].expires_at, before.expires_at);
  await chief.get(`${path}/${before.id}`);
  const refused = await chief.submit(`${path}/${before.id}`, { severity: 'no_access', expires_in: 'soon' });
  assert.equal(refused.status, 422);
});
