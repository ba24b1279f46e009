import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes } from '../../../../gateway/routes/index.js';
import { PUBLIC } from '../../../kit/federation/peer.js';
import type { Answer } from '../../../kit/federation/two-places.js';
import { Visitor } from '../../../kit/network/visitor.js';
import { RemoteAuthor } from './remote-author.js';

const STATUS = '/api/v1/statuses/:id';
const OPEN = { interactionPolicy: { canQuote: { automaticApproval: [PUBLIC] } } };
const MINUTE_MS = 60_000;

/** Routes that change statuses, polls or reports. */
const ACTS = /\/(?:statuses|scheduled_statuses|polls|reports)\b|\/web\/(?:posts|compose)\b/;
/** Routes that this file does not call, with the reason. */
const NOT_CALLED: Readonly<Record<string, string>> = {
  'POST /moderation/reports/:id': 'calls the routes of the API on reports',
  'POST /moderation/reports/:id/notes': 'calls the routes of the API on reports',
  'POST /moderation/reports/:id/decision': 'decides on the account; reactions to decisions have tests of their own',
  'POST /moderation/trends/statuses/:id': 'calls the routes of the API on trends',
};

let world: RemoteAuthor;
before(async () => {
  world = await RemoteAuthor.open();
});
after(() => world?.close());

const verb = (id: string, name: string, body?: object): Promise<Answer> =>
  world.does(`POST ${STATUS}/${name}`, { id }, body);
const post = (body: object): Promise<Answer> => world.does('POST /api/v1/statuses', {}, body);
const remove = (id: string): Promise<Answer> => world.does(`DELETE ${STATUS}`, { id });

test('a favourite of a public, private or direct status, or of a reblog of it, is sent once and undone', async () => {
  const { note, id } = await world.shared();
  const reblog = await world.reblogged(note);
  const [closed, direct] = [await world.sentTo('followers'), await world.sentTo('ada')];
  for (const [uri, one] of [
    [note.id, id],
    [closed.note.id, closed.id],
    [direct.note.id, direct.id],
  ]) {
    for (let time = 0; time < 2; time++) assert.equal((await verb(one, 'favourite')).favourited, true);
    const like = await world.sent('a favourite', [uri], ['Like']);
    assert.deepEqual([like.actor, like.object], [world.uri, uri]);
    for (let time = 0; time < 2; time++) assert.equal((await verb(one, 'unfavourite')).favourited, false);
    const undo = await world.sent('its end', [uri], ['Like', 'Undo Like']);
    assert.equal(undo.object.id, like.id);
  }
  assert.equal((await verb(reblog, 'favourite')).id, id);
  const kinds = ['Like', 'Undo Like', 'Like'];
  await world.sent('a favourite by the reblog', [note.id], kinds);
  assert.equal((await verb(reblog, 'unfavourite')).favourites_count, 0);
  await world.sent('its end', [note.id], [...kinds, 'Undo Like']);
});

test('a reblog of each visibility is announced to those who may see it, and undone by both routes', async () => {
  for (const visibility of [undefined, 'public', 'unlisted', 'private']) {
    const { note, id } = await world.shared();
    const reblog = await verb(id, 'reblog', visibility === undefined ? undefined : { visibility });
    assert.deepEqual([reblog.reblog.uri, reblog.visibility], [note.id, visibility ?? 'public']);
    assert.equal((await verb(id, 'reblog')).id, reblog.id);
    const announce = await world.sent(`a ${visibility} reblog`, [note.id], ['Announce']);
    const isOpen = visibility !== 'private';
    assert.equal([announce.to, announce.cc].flat().includes(PUBLIC), isOpen);
    assert.equal(
      [announce.to].flat().includes(isOpen && visibility !== 'unlisted' ? PUBLIC : `${world.uri}/followers`),
      true,
    );
    if (visibility === undefined) await remove(reblog.id);
    else assert.equal((await verb(id, 'unreblog')).reblogged, false);
    const undo = await world.sent('its end', [note.id], ['Announce', 'Undo Announce']);
    assert.equal(undo.object.id, announce.id);
  }
});

test('private and direct statuses are not reblogged, nor is any with a visibility that is none', async () => {
  const [closed, direct, open] = [await world.sentTo('followers'), await world.sentTo('ada'), await world.shared()];
  for (const { note, id } of [closed, direct]) {
    for (const visibility of [undefined, 'public', 'private'])
      await world.refuses(422, `POST ${STATUS}/reblog`, { id }, { visibility });
    await world.sent('no reblog', [note.id], []);
  }
  for (const visibility of ['direct', 'nobody'])
    await world.refuses(422, `POST ${STATUS}/reblog`, { id: open.id }, { visibility });
  await world.sent('no reblog', [open.note.id], []);
});

test('votes are sent, one activity for each option, and nobody votes twice', async () => {
  for (const [kind, choices] of [
    ['oneOf', [1]],
    ['anyOf', [0, 2]],
  ] as const) {
    const options = ['tea', 'coffee', 'water'].map((name) => ({ type: 'Note', name }));
    const endTime = new Date(Date.now() + 60 * MINUTE_MS).toISOString();
    const { note, id } = await world.shared({ type: 'Question', [kind]: options, endTime });
    const vote = { choices };
    const poll = await world.does('POST /api/v1/polls/:id/votes', { id }, vote);
    assert.deepEqual([poll.voted, poll.own_votes], [true, choices]);
    await world.sent(
      'votes',
      [note.id],
      choices.map(() => 'Create vote'),
    );
    const names = world.got([note.id]).map(({ object, to }) => [object.name, to]);
    assert.deepEqual(names.sort(), choices.map((choice) => [options[choice]?.name, [world.bob.uri]]).sort());
    await world.refuses(422, 'POST /api/v1/polls/:id/votes', { id }, vote);
    await world.refuses(422, 'POST /api/v1/polls/:id/votes', { id }, { choices: [7] });
    await world.sent(
      'no further vote',
      [note.id],
      choices.map(() => 'Create vote'),
    );
  }
});

test('a reply of each visibility is sent, edited, limited, pinned and deleted', async () => {
  for (const visibility of ['public', 'unlisted', 'private', 'direct']) {
    const { note, id: in_reply_to_id } = await world.shared();
    const { id, uri, in_reply_to_id: parent } = await post({ status: `${world.name} yes`, visibility, in_reply_to_id });
    assert.equal(parent, in_reply_to_id);
    const uris = [note.id, uri];
    const created = await world.sent(`a ${visibility} reply`, uris, ['Create Note']);
    assert.deepEqual([created.object.inReplyTo, created.object.id], [note.id, uri]);
    const isOpen = visibility === 'public' || visibility === 'unlisted';
    assert.equal([created.to, created.cc].flat().includes(PUBLIC), isOpen);
    await world.does(`PUT ${STATUS}`, { id }, { status: `${world.name} no` });
    const kinds = ['Create Note', 'Update Note'];
    const updated = await world.sent('the edit', uris, kinds);
    assert.deepEqual([updated.object.inReplyTo, /no/.test(updated.object.content)], [note.id, true]);
    if (isOpen) kinds.push(...(await limitAndPin(id, uris, kinds)));
    else await world.refuses(422, `POST ${STATUS}/pin`, { id });
    await remove(id);
    await world.sent('the deletion', uris, [...kinds, 'Delete Tombstone']);
  }
});

/** Changes who may quote a status, pins it and unpins it. Returns the kinds of activities that this sends. */
async function limitAndPin(id: string, uris: readonly string[], before: readonly string[]): Promise<string[]> {
  await world.does(`PUT ${STATUS}/interaction_policy`, { id }, { quote_approval_policy: 'nobody' });
  const kinds = ['Update Note'];
  await world.sent('the policy', uris, [...before, ...kinds]);
  for (const [name, kind] of [
    ['pin', 'Add'],
    ['unpin', 'Remove'],
  ] as const) {
    await verb(id, name);
    kinds.push(kind);
    await world.sent(name, uris, [...before, ...kinds]);
  }
  return kinds;
}

test('a reply that is scheduled sends nothing before its time, or at all when it is cancelled', async () => {
  const { note, id: in_reply_to_id } = await world.shared();
  const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString();
  const reply = { status: `${world.name} later`, in_reply_to_id };
  const { id, params } = await post({ ...reply, scheduled_at: at(10) });
  // As in Mastodon, it is a number there.
  assert.equal(params.in_reply_to_id, Number(in_reply_to_id));
  await world.does('PUT /api/v1/scheduled_statuses/:id', { id }, { scheduled_at: at(20) });
  await world.does('DELETE /api/v1/scheduled_statuses/:id', { id });
  await world.sent('no reply', [note.id], []);
  const other = await world.shared();
  const { uri } = await post({ ...reply, in_reply_to_id: other.id, scheduled_at: at(-10) });
  await world.sent('a reply whose time has passed', [other.note.id, uri], ['Create Note']);
});

test('a quote asks its author, is sent and deleted; closed, private and direct statuses are not quoted', async () => {
  const { note, id: quoted_status_id } = await world.shared(OPEN);
  for (const visibility of ['public', 'unlisted']) {
    const { id, uri, quote } = await post({ status: 'look', visibility, quoted_status_id });
    assert.equal(quote.state, 'pending');
    const kinds = ['Create Note', 'QuoteRequest Note'];
    await world.sent('the quote', [uri], kinds, false);
    const request = world.got([uri]).find(({ type }) => type === 'QuoteRequest') ?? {};
    assert.deepEqual([request.object, request.instrument.id], [note.id, uri]);
    await world.receives(world.bob.activity('Accept', request, { result: world.peer.uri('stamp') }));
    kinds.push('Update Note');
    await world.sent('the permitted quote', [uri], kinds, false);
    await remove(id);
    kinds.push('Delete Tombstone');
    await world.sent('the deletion', [uri], kinds, false);
  }
  const closed = [await world.shared(), await world.sentTo('followers'), await world.sentTo('ada')];
  for (const { note: none, id } of closed) {
    const { status } = await world.api('POST /api/v1/statuses', {}, { status: 'look', quoted_status_id: id });
    assert.ok(status === 404 || status === 422, `${status}`);
    await world.sent('no quote', [none.id], []);
  }
});

test('a quote by a remote status is revoked by its own route', async () => {
  const { id, uri } = await post({ status: 'quote me', quote_approval_policy: 'public' });
  const instrument = world.bob.note('<p>quoting</p>', { quote: uri });
  await world.receives(world.bob.activity('QuoteRequest', uri, { instrument }));
  await world.sent('the permission', [instrument.id], ['Accept QuoteRequest']);
  const quote = (await world.find(instrument.id)).id;
  await verb(id, `quotes/${quote}/revoke`);
  world.called.add(`POST ${STATUS}/quotes/:quote/revoke`);
  await world.sent('the end', [instrument.id], ['Accept QuoteRequest', 'Delete QuoteAuthorization']);
});

test('a report is sent if it is forwarded, by the instance; moderators who handle it send nothing', async () => {
  const { note, id } = await world.shared();
  const { account } = await world.does(`GET ${STATUS}`, { id });
  const report = { account_id: account.id, status_ids: [id], comment: 'spam' };
  await world.does('POST /api/v1/reports', {}, report);
  await world.sent('no report', [note.id], []);
  const made = await world.does('POST /api/v1/reports', {}, { ...report, forward: true, category: 'spam' });
  assert.deepEqual([made.forwarded, made.status_ids], [true, [id]]);
  const flag = await world.sent('the report', [note.id], ['Flag']);
  assert.deepEqual([flag.actor, flag.content], [`${world.server.url}/actor`, 'spam']);
  assert.deepEqual(flag.object.toSorted(), [world.bob.uri, note.id].toSorted());
  assert.doesNotMatch(JSON.stringify(flag), /\bada\b/);
  const one = '/api/v1/admin/reports/:id';
  for (const name of ['assign_to_self', 'unassign', 'resolve', 'reopen'])
    await world.does(`POST ${one}/${name}`, { id: made.id }, undefined, world.boss);
  await world.does(`PUT ${one}`, { id: made.id }, { category: 'other' }, world.boss);
  await world.does(`POST ${one}/notes`, { id: made.id }, { content: 'seen' }, world.boss);
  await world.sent('nothing more', [note.id], ['Flag']);
});

test('bookmarks, mutes, filters, translations and reviews of trends send nothing', async () => {
  const { note, id } = await world.shared();
  for (const [name, field, value] of [
    ['bookmark', 'bookmarked', true],
    ['unbookmark', 'bookmarked', false],
    ['mute', 'muted', true],
    ['unmute', 'muted', false],
  ] as const)
    assert.equal((await verb(id, name))[field], value);
  const filter = await world.does('POST /api/v2/filters', {}, { title: 'less', context: ['home'] });
  const filtered = await world.does('POST /api/v2/filters/:id/statuses', { id: filter.id }, { status_id: id });
  await world.does('DELETE /api/v2/filters/statuses/:id', { id: filtered.id });
  for (const name of ['approve', 'reject'])
    await world.does(`POST /api/v1/admin/trends/statuses/:id/${name}`, { id }, undefined, world.boss);
  await world.refuses(404, `POST ${STATUS}/translate`, { id });
  await world.sent('nothing', [note.id], []);
});

test("somebody else's status is not pinned, edited, deleted or limited", async () => {
  const { note, id } = await world.shared();
  const { error } = await world.refuses(422, `POST ${STATUS}/pin`, { id });
  assert.match(error, /Someone else's post cannot be pinned/);
  await world.refuses(404, `PUT ${STATUS}`, { id }, { status: 'mine now' });
  await world.refuses(404, `DELETE ${STATUS}`, { id });
  await world.refuses(404, `PUT ${STATUS}/interaction_policy`, { id }, { quote_approval_policy: 'nobody' });
  await world.sent('nothing', [note.id], []);
});

test('the forms of the built-in client send the same', async () => {
  const send = (path: string, init?: RequestInit) => fetch(`${world.server.url}${path}`, init);
  const ada = new Visitor({ send }, { accept: 'text/html' });
  await ada.get('/auth/sign_in');
  await ada.submit('/auth/sign_in', { login: 'ada', password: world.ada.password });
  const submit = async (route: string, path: string, fields: Readonly<Record<string, string>> = {}) => {
    world.called.add(`POST ${route}`);
    const { status, location = '', text } = await ada.submit(path, fields);
    assert.equal(status, 303, `${path}: ${text}`);
    return /post-(\d+)$/.exec(location)?.[1] ?? '';
  };
  const { note, id } = await world.shared();
  const marks = ['favourite', 'unfavourite', 'reblog', 'unreblog', 'bookmark', 'unbookmark'];
  const kinds: string[] = [];
  for (const [index, name] of marks.entries()) {
    await ada.get(`/web/posts/${id}`);
    await submit('/web/posts/:id/:verb', `/web/posts/${id}/${name}`);
    kinds.push(...(['Like', 'Undo Like', 'Announce', 'Undo Announce'][index] ?? '').split(',').filter(Boolean));
    await world.sent(name, [note.id], kinds);
  }
  await ada.get(`/web/posts/${id}`);
  const fields = { status: `${world.name} by a form`, in_reply_to_id: id };
  const reply = await submit('/web/compose', '/web/compose', fields);
  await world.sent('the reply', [note.id], [...kinds, 'Create Note']);
  await ada.get(`/web/posts/${reply}/edit`);
  await submit('/web/posts/:id/edit', `/web/posts/${reply}/edit`, { status: `${world.name} by another form` });
  await world.sent('the edit', [note.id], [...kinds, 'Create Note', 'Update Note']);
  await ada.get(`/web/posts/${reply}`);
  await submit('/web/posts/:id/:verb', `/web/posts/${reply}/delete`);
  const own = `${world.uri}/statuses/${reply}`;
  await world.sent('the deletion', [own], ['Create Note', 'Update Note', 'Delete Tombstone']);
});

test('every route that changes statuses, polls or reports was called, and nothing more was sent', async () => {
  const routes = allRoutes
    .filter(({ method, path }) => method !== 'GET' && ACTS.test(path))
    .map(({ method, path }) => `${method} ${path}`);
  const reasons = Object.keys(NOT_CALLED);
  assert.deepEqual(
    routes.filter((route) => !world.called.has(route) && !reasons.includes(route)),
    [],
  );
  assert.deepEqual(
    reasons.filter((route) => !routes.includes(route) || world.called.has(route)),
    [],
    'reasons for what needs none',
  );
  await world.nothingMore();
});
