import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MODERATION_NOTE_CHARS_MAX } from '../../../../../actors/account/moderation-notes.js';
import { isProblem } from '../../../../../actors/domain/problem.js';
import { auditOf } from '../../../../../gateway/moderation/audit.js';
import { hashPassword } from '../../../../../gateway/oauth/passwords.js';
import { signUp } from '../../../../../gateway/oauth/sign-up.js';
import { Visitor } from '../../../../kit/network/visitor.js';
import { TestServer } from '../../../../kit/services/server.js';
import { makeUser, PASSWORD, signedIn } from '../../../oauth/stage.js';

const PATH = '/moderation/accounts';
const MARKUP = '<script>alert(1)</script>';
let server: TestServer;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'mod', 'moderator');
  await makeUser(server, 'chief', 'admin');
});
after(() => server?.stop());

/** Signs somebody up who waits for approval. */
async function waiting(username: string): Promise<string> {
  const made = await signUp(server.node.services, {
    ...{ username, email: `${username}@example.org`, password: 'correct horse battery', role: 'user', locale: 'en' },
    ...{ confirmed: true, approved: false, reason: `let me in ${MARKUP}` },
    hash: (password) => hashPassword(password, { cheap: true }),
  });
  assert.ok(!isProblem(made));
  return made.id;
}

const acts = async () => (await auditOf(server.node.services, 50)).map(({ by, action, name }) => [by, action, name]);

test('a moderator finds accounts by name, address, role and state (/moderation/accounts)', async () => {
  await server.person('finch');
  await waiting('wren');
  const mod = await signedIn(server, 'mod');
  const found = async (query: string) =>
    [...(await mod.get(`${PATH}?${query}`)).text.matchAll(/<a href="\/moderation\/accounts\/\d+">@(\w+)/g)].map(
      ([, name]) => name,
    );
  assert.deepEqual(await found('username=FINCH&email=&by_domain=&ip=&status=&permissions='), ['finch']);
  assert.deepEqual(await found('email=wren%40example'), ['wren']);
  assert.deepEqual(await found('status=pending'), ['wren']);
  assert.deepEqual((await found('permissions=staff')).sort(), ['chief', 'mod']);
  assert.deepEqual(await found('status=suspended'), []);
  assert.deepEqual(await found('username=finch&origin=local'), ['finch']);
  assert.deepEqual(await found('username=finch&origin=remote'), []);
  assert.equal((await found('limit=1')).length, 1);
  const { text } = await mod.get(`${PATH}?username=%3Cb%3E`);
  assert.match(text, /No account fits.*|value="&lt;b>"/s);
  assert.match((await mod.get(`${PATH}?limit=1`)).text, /rel="next" href="\/moderation\/accounts\?[^"]*max_id=/);
  for (const query of ['status=dead', `username=${'x'.repeat(301)}`])
    assert.equal((await mod.get(`${PATH}?${query}`)).status, 422);
});

test('pages of people and posts lead moderators alone to the account, and no cache mixes their pages with others', async () => {
  const dunlin = await server.person('dunlin');
  const id = await dunlin.says('good morning');
  await makeUser(server, 'reader');
  const [mod, reader] = [await signedIn(server, 'mod'), await signedIn(server, 'reader')];
  const stranger = new Visitor(server, { accept: 'text/html' });
  for (const path of ['/@dunlin', `/@dunlin/${id}`]) {
    const [before, ordinary] = [await stranger.get(path), await reader.get(path)];
    const seen = await mod.get(path);
    assert.match(seen.text, new RegExp(`href="/moderation/accounts/${dunlin.id}">Open in moderation<`), path);
    assert.match(seen.headers.get('cache-control') ?? '', /no-store/);
    assert.equal(seen.headers.get('etag'), null);
    for (const page of [before, ordinary]) assert.doesNotMatch(page.text, /moderation/, path);
    const after = await stranger.get(path);
    assert.deepEqual([after.text, after.headers.get('etag')], [before.text, before.headers.get('etag')]);
    assert.equal((await reader.get(path)).text, ordinary.text);
    assert.match(after.headers.get('vary') ?? '', /Cookie/);
  }
  assert.doesNotMatch((await mod.get(`/@dunlin/${id}/embed`)).text, /moderation/, 'frames of other sites');
});

test('a moderator approves one person and rejects another, and the audit log names both acts', async () => {
  const [linnet, gull] = [await waiting('linnet'), await waiting('gull')];
  const mod = await signedIn(server, 'mod');
  const { text } = await mod.get(`${PATH}/${linnet}`);
  assert.match(text, /let me in &lt;script>/);
  assert.ok(!text.includes(MARKUP));
  assert.equal((await mod.submit(`${PATH}/${linnet}`, { action: 'approve' })).location, `${PATH}/${linnet}?done=true`);
  assert.doesNotMatch((await mod.get(`${PATH}/${linnet}`)).text, /Waits for approval/);
  await mod.get(`${PATH}/${gull}`);
  assert.equal((await mod.submit(`${PATH}/${gull}`, { action: 'reject' })).location, `${PATH}?done=true`);
  assert.equal((await mod.get(`${PATH}/${gull}`)).status, 404);
  const log = await acts();
  for (const one of [
    ['mod', 'approve', 'linnet'],
    ['mod', 'reject', undefined],
  ])
    assert.ok(
      log.some((act) => act.join() === one.join()),
      one.join(),
    );
});

test('a moderator limits, freezes and suspends an account, and takes each decision back', async () => {
  const eve = await server.person('eve');
  const page = `${PATH}/${eve.id}`;
  const mod = await signedIn(server, 'mod');
  for (const [type, undo, shown] of [
    ['silence', 'unsilence', 'Limited'],
    ['sensitive', 'unsensitive', 'Media are sensitive'],
    ['disable', 'enable', 'Frozen'],
    ['suspend', 'unsuspend', 'Suspended'],
  ] as const) {
    await mod.get(page);
    assert.equal((await mod.submit(`${page}/decision`, { type, text: 'Why' })).location, `${page}?done=true`);
    assert.match((await mod.get(page)).text, new RegExp(`${shown}.*value="${undo}"`, 's'));
    assert.equal((await mod.submit(page, { action: undo })).status, 303);
    assert.doesNotMatch((await mod.get(page)).text, new RegExp(`value="${undo}"`));
    const log = await acts();
    assert.ok(log.some((act) => act.join() === `mod,${type},eve`));
    assert.ok(log.some((act) => act.join() === `mod,${undo},eve`));
  }
});

test('only an administrator deletes the data of a suspended account', async () => {
  const kite = await server.person('kite');
  const page = `${PATH}/${kite.id}`;
  const [mod, chief] = [await signedIn(server, 'mod'), await signedIn(server, 'chief')];
  await mod.get(page);
  await mod.submit(`${page}/decision`, { type: 'suspend' });
  assert.doesNotMatch((await mod.get(page)).text, /value="delete"/);
  assert.equal((await mod.submit(page, { action: 'delete' })).status, 403);
  await chief.get(page);
  assert.equal((await chief.submit(page, { action: 'delete' })).location, `${PATH}?done=true`);
});

test('an administrator makes an account a memorial: shown as such, closed for its owner, and undone', async () => {
  const heron = { id: await makeUser(server, 'heron'), token: '' };
  heron.token = await server.token(heron.id, ['read', 'write']);
  const browser = await signedIn(server, 'heron');
  const page = `${PATH}/${heron.id}`;
  const [mod, chief] = [await signedIn(server, 'mod'), await signedIn(server, 'chief')];
  assert.doesNotMatch((await mod.get(page)).text, /value="memorialize"/);
  assert.equal((await mod.submit(page, { action: 'memorialize' })).status, 403);
  const state = async () => {
    const { body } = await server.get('/api/v1/accounts/lookup?acct=heron');
    const headers = { accept: 'application/activity+json' };
    const { memorial } = (await (await server.send('/users/heron', { headers })).json()) as { memorial: boolean };
    const used = await server.ask('GET', '/api/v1/accounts/verify_credentials', undefined, heron.token);
    const isNoted = (await new Visitor(server, { accept: 'text/html' }).get('/@heron')).text.includes('In remembrance');
    return [body.memorial, memorial, used.status, isNoted];
  };
  assert.deepEqual(await state(), [undefined, false, 200, false]);
  await chief.get(page);
  assert.equal((await chief.submit(page, { action: 'memorialize' })).location, `${page}?done=true`);
  assert.deepEqual(await state(), [true, true, 403, true]);
  assert.match((await chief.get(page)).text, /class="mark danger">Memorial<.*value="unmemorialize"/s);
  assert.match((await browser.get('/settings/profile')).location ?? '', /^\/auth\/sign_in/, 'the session has ended');
  const alertOf = async (password: string, language = 'en') => {
    const visitor = new Visitor(server, { accept: 'text/html', 'accept-language': language });
    await visitor.get('/auth/sign_in');
    const { status, text } = await visitor.submit('/auth/sign_in', { login: 'heron', password });
    return [status, /role="alert">([^<]+)/.exec(text)?.[1]];
  };
  assert.deepEqual(await alertOf('not the password'), [422, 'Invalid e-mail address, username or password.']);
  const kept = 'This account is kept in memory of its owner. Nobody can sign in to it.';
  assert.deepEqual(await alertOf(PASSWORD), [403, kept]);
  assert.match(String((await alertOf(PASSWORD, 'de'))[1]), /zum Gedenken/);
  await chief.get(page);
  await chief.submit(page, { action: 'unmemorialize' });
  assert.deepEqual(await state(), [undefined, false, 200, false]);
  const log = (await acts()).map((act) => act.join());
  for (const act of ['chief,memorialize,heron', 'chief,unmemorialize,heron']) assert.ok(log.includes(act), act);
  for (const verb of ['memorialize', 'unmemorialize']) {
    const path = `/api/v1/admin/accounts/${heron.id}/${verb}`;
    assert.equal((await server.ask('POST', path, {}, heron.token)).status, 403);
    assert.equal((await server.ask('POST', path)).status, 401);
  }
});

test('refused decisions show the page again with what was typed, and forged forms change nothing', async () => {
  const robin = await server.person('robin');
  const boss = await server.staff('boss', 'admin');
  const mod = await signedIn(server, 'mod');
  const page = `${PATH}/${robin.id}`;
  for (const fields of [
    { type: 'explode', text: 'Typed words' },
    { type: 'delete_statuses', text: 'Typed words' },
    { type: 'none', text: `Typed words${'x'.repeat(6_000)}` },
  ]) {
    await mod.get(page);
    const refused = await mod.submit(`${page}/decision`, fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="type-wrong" role="alert".*Typed words/s);
  }
  await mod.get(`${PATH}/${boss.id}`);
  const above = await mod.submit(`${PATH}/${boss.id}/decision`, { type: 'suspend' });
  assert.equal(above.status, 422);
  assert.match(above.text, /Your role does not allow this/);
  await mod.get(page);
  assert.equal((await mod.submit(`${page}/decision`, { type: 'suspend', csrf: 'forged' })).status, 403);
  assert.equal((await robin.get('/api/v1/accounts/verify_credentials')).status, 200);
  await mod.get(page);
  assert.equal((await mod.submit(page, { action: 'explode' })).status, 422);
  assert.equal((await mod.get(`${PATH}/999999999999999999`)).status, 404);
});

test('the audit log shows acts page by page, escaped, and the roles show who has them', async () => {
  const owl = await server.person('owl');
  const mod = await signedIn(server, 'mod');
  await mod.get(`${PATH}/${owl.id}`);
  for (let count = 0; count < 41; count++) {
    await mod.get(`${PATH}/${owl.id}`);
    await mod.submit(`${PATH}/${owl.id}/decision`, { type: 'none', text: `${count} ${MARKUP}` });
  }
  const first = (await mod.get('/moderation/audit')).text;
  assert.match(first, /<strong>mod<\/strong>.*@owl.*40 &lt;script>/s);
  assert.ok(!first.includes(MARKUP));
  const older = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? '';
  assert.match((await mod.get(older)).text, />0 &lt;script>.*rel="prev"|rel="prev".*|>0 &lt;script>/s);
  assert.equal((await mod.get('/moderation/audit?before=x')).status, 422);
  const { text } = await (await signedIn(server, 'chief')).get('/moderation/roles');
  assert.match(text, /Admin.*delete_user_data.*@chief.*Moderator.*manage_reports.*@mod/s);
});

test('moderators leave notes about an account, and remove their own (/moderation/accounts/:id/notes/:note_id/delete)', async () => {
  const finch = await server.person('goldfinch');
  const page = `${PATH}/${finch.id}`;
  const mod = await signedIn(server, 'mod');
  await mod.get(page);
  assert.equal((await mod.submit(`${page}/notes`, { note: `same as @greenfinch ${MARKUP}` })).status, 303);
  const chief = await signedIn(server, 'chief');
  const shown = (await chief.get(page)).text;
  assert.match(shown, /same as @greenfinch &lt;script>.*@mod/s);
  assert.equal((await chief.submit(`${page}/notes`, { note: 'agreed' })).status, 303);
  const { text } = await mod.get(page);
  const removals = [...text.matchAll(/action="(\/moderation\/accounts\/\d+\/notes\/\d+\/delete)"/g)].map(
    ([, path]) => path ?? '',
  );
  assert.equal(removals.length, 1, 'a button at the own note alone');
  assert.equal((await mod.submit(removals[0] ?? '', {})).status, 303);
  const left = (await mod.get(page)).text;
  assert.doesNotMatch(left, /greenfinch/);
  assert.match(left, /agreed.*@chief/s);
  for (const note of ['', 'x'.repeat(MODERATION_NOTE_CHARS_MAX + 1)]) {
    const refused = await mod.submit(`${page}/notes`, { note });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="note-wrong" role="alert"/);
    assert.ok(refused.text.includes(`>${note}</textarea>`));
  }
});
