import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../../cli/operator-socket.js';
import { type Answer, follow, Place, seen } from '../../../kit/federation/two-places.js';
import { call, makePeople, type Person } from '../../cluster/people.js';

/** Two seconds for look-ups, and the post itself on a busy machine. */
const MENTION_MS_MAX = 5_000;

/** Ann writes here; Ben reads there and follows her. */
let [here, there]: Place[] = [];
before(async () => {
  [here, there] = await Place.pair('ann', 'ben');
  await follow(there, here);
});
after(async () => {
  await Promise.all([here?.dispose(), there?.dispose()]);
});

const places = (): [Place, Place] => [here as Place, there as Place];
const home = async (): Promise<Answer[]> => (there as Place).ask('GET', 'timelines/home');
const bens = () => `@ben@${(there as Place).host}`;

let staff: Promise<Person> | undefined;
/** Returns the administrator here. */
function administrator(): Promise<Person> {
  staff ??= places()[0].staff();
  return staff;
}

/** Ann posts. Returns the status here. */
const post = (body: object) => (here as Place).ask('POST', 'statuses', body);

/** Waits until Ben's home has the status, and returns it as it is there. */
const arrived = (made: Answer): Promise<Answer> =>
  seen('the status in the home there', async () => (await home()).find(({ uri }) => uri === made.uri));

test('public, unlisted and followers-only statuses reach the home of a follower with all that they carry', async () => {
  for (const visibility of ['public', 'unlisted', 'private']) {
    const made = await post({ status: `for ${visibility} #felt`, visibility, spoiler_text: 'wool', language: 'de' });
    const copy = await arrived(made);
    assert.equal(copy.visibility, visibility);
    assert.equal(copy.spoiler_text, 'wool');
    assert.equal(copy.language, 'de');
    assert.equal(copy.account.acct, `ann@${(here as Place).host}`);
    assert.match(copy.content, new RegExp(`for ${visibility}`));
    assert.deepEqual(
      copy.tags.map(({ name }: Answer) => name),
      ['felt'],
    );
  }
});

test('a direct status reaches the one mentioned, and the answer comes back into the thread', async () => {
  const [one, two] = places();
  const made = await post({ status: `${bens()} between us`, visibility: 'direct' });
  const notice = await seen('the mention', async () => {
    const all = await two.ask('GET', 'notifications?types[]=mention');
    return all.find(({ status }: Answer) => status.uri === made.uri);
  });
  assert.equal(notice.status.visibility, 'direct');
  assert.equal((await two.ask('GET', 'conversations')).length, 1);
  const answer = await two.ask('POST', 'statuses', {
    status: `@ann@${one.host} yes`,
    visibility: 'direct',
    in_reply_to_id: notice.status.id,
  });
  const thread = await seen('the answer in the thread', async () => {
    const { descendants } = await one.ask('GET', `statuses/${made.id}/context`);
    return descendants.length > 0 && descendants;
  });
  assert.deepEqual(
    thread.map(({ uri, in_reply_to_id }: Answer) => [uri, in_reply_to_id]),
    [[answer.uri, made.id]],
  );
});

test('a public answer of somebody whom nobody here follows reaches the author answered', async () => {
  const [one, two] = places();
  const made = await post({ status: 'who answers?' });
  const copy = await arrived(made);
  const answer = await two.ask('POST', 'statuses', { status: 'I do', in_reply_to_id: copy.id });
  await seen('the answer', async () => {
    const { descendants } = await one.ask('GET', `statuses/${made.id}/context`);
    return descendants.some(({ uri }: Answer) => uri === answer.uri);
  });
  assert.equal((await one.ask('GET', `statuses/${made.id}`)).replies_count, 1);
});

test('an edit and a deletion follow the status', async () => {
  const [one, two] = places();
  const made = await post({ status: 'first words' });
  const copy = await arrived(made);
  await one.ask('PUT', `statuses/${made.id}`, { status: 'better words' });
  const edited = await seen('the edit', async () => {
    const now = await two.ask('GET', `statuses/${copy.id}`);
    return now.edited_at !== null && now;
  });
  assert.match(edited.content, /better words/);
  assert.equal((await two.ask('GET', `statuses/${copy.id}/history`)).length, 2);
  await one.ask('DELETE', `statuses/${made.id}`);
  await seen('the deletion', async () => !(await home()).some(({ uri }) => uri === made.uri));
  await assert.rejects(two.ask('GET', `statuses/${copy.id}`), /404/);
});

test('a pinned status is pinned there, and is not when it ends', async () => {
  const [one, two] = places();
  const made = await post({ status: 'to be pinned' });
  const copy = await arrived(made);
  const pinned = async (): Promise<Answer[]> => two.ask('GET', `accounts/${copy.account.id}/statuses?pinned=true`);
  await one.ask('POST', `statuses/${made.id}/pin`);
  await seen('the pin', async () => (await pinned()).some(({ uri }) => uri === made.uri));
  await one.ask('POST', `statuses/${made.id}/unpin`);
  await seen('no pin', async () => (await pinned()).length === 0);
});

test('a featured hashtag is featured there, and is not when it ends', async () => {
  const [one, two] = places();
  const { accounts } = await two.find(`@ann@${one.host}`);
  const featured = async (): Promise<Answer[]> => two.ask('GET', `accounts/${accounts[0].id}/featured_tags`);
  assert.deepEqual(await featured(), []);
  const { id } = await one.ask('POST', 'featured_tags', { name: 'felt' });
  const [tag] = await seen('the hashtag', async () => (await featured()).length > 0 && featured());
  assert.deepEqual([tag.name, tag.url], ['felt', `${two.url}/@ann@${one.host}/tagged/felt`]);
  await one.ask('DELETE', `featured_tags/${id}`);
  await seen('no hashtag', async () => (await featured()).length === 0);
});

test('a featured account is featured there, and is not when the follow ends', async () => {
  const [one, two] = places();
  const { accounts } = await two.find(`@ann@${one.host}`);
  const featured = async (): Promise<Answer[]> => two.ask('GET', `accounts/${accounts[0].id}/endorsements`);
  assert.deepEqual(await featured(), []);
  const ben = (await one.find(`@ben@${two.host}`)).accounts[0];
  await one.ask('POST', `accounts/${ben.id}/follow`);
  await seen('the follow', async () => (await one.ask('GET', `accounts/relationships?id=${ben.id}`))[0].following);
  await one.ask('POST', `accounts/${ben.id}/endorse`);
  const [shown] = await seen('the featured account', async () => (await featured()).length > 0 && featured());
  assert.equal(shown.acct, 'ben');
  await one.ask('POST', `accounts/${ben.id}/unfollow`);
  await seen('no featured account', async () => (await featured()).length === 0);
});

test('a poll arrives with its options, and a vote from there counts here', async () => {
  const [one, two] = places();
  const made = await post({ status: 'which?', poll: { options: ['this', 'that'], expires_in: 3_600 } });
  const copy = await arrived(made);
  assert.deepEqual(
    copy.poll.options.map(({ title }: Answer) => title),
    ['this', 'that'],
  );
  await two.ask('POST', `polls/${copy.poll.id}/votes`, { choices: [1] });
  await seen('the vote', async () => (await one.ask('GET', `statuses/${made.id}`)).poll.votes_count === 1);
});

test('a reblog of a status of here reaches followers there, and ends', async () => {
  const [one, two] = places();
  const made = await post({ status: 'worth sharing' });
  const copy = await arrived(made);
  const sharers = () => two.ask('GET', `statuses/${copy.id}/reblogged_by`);
  await one.ask('POST', `statuses/${made.id}/reblog`);
  const [sharer] = await seen('the reblog', async () => (await sharers()).length > 0 && sharers());
  assert.equal(sharer.acct, `ann@${one.host}`);
  await one.ask('POST', `statuses/${made.id}/unreblog`);
  await seen('no reblog', async () => (await sharers()).length === 0);
});

test('statuses of an hour in which both servers were killed arrive in order, each once', async () => {
  const [one, two] = places();
  await two.server.kill();
  const made = [await post({ status: 'one' }), await post({ status: 'two' })];
  const edited = await post({ status: 'three' });
  await one.ask('PUT', `statuses/${edited.id}`, { status: 'three, edited' });
  const gone = await post({ status: 'four' });
  await one.ask('DELETE', `statuses/${gone.id}`);
  await one.server.kill();
  await one.server.restart();
  await two.server.restart();
  await operatorClient(one.server.dataDir)('federation.steer', { host: two.host, act: 'retry' });
  const last = await seen('the edited status', async () =>
    (await home()).find(({ uri, edited_at }) => uri === edited.uri && edited_at !== null),
  );
  assert.match(last.content, /three, edited/);
  const uris = (await home()).map(({ uri }) => uri);
  for (const { uri } of [...made, edited]) assert.equal(uris.filter((one) => one === uri).length, 1, uri);
  await seen('no deleted status', async () => !(await home()).some(({ uri }) => uri === gone.uri));
});

test('a former follower gets nothing more', async () => {
  const [one, two] = places();
  const { accounts } = await two.find(`@ann@${one.host}`);
  await two.ask('POST', `accounts/${accounts[0].id}/unfollow`);
  await seen('no follower', async () => (await one.ask('GET', `accounts/${one.person.id}/followers`)).length === 0);
  await post({ status: 'after the end', visibility: 'private' });
  const last = await post({ status: `${bens()} a mention still arrives` });
  await seen('the mention', async () => {
    const all = await two.ask('GET', 'notifications?types[]=mention');
    return all.some(({ status }: Answer) => status.uri === last.uri);
  });
  const { statuses } = await two.find('after the end');
  assert.deepEqual(statuses, []);
});

test('a mention of somebody unknown here is resolved before the status is stored; a name that leads nowhere stays text', async () => {
  const [one, two] = places();
  const [cem] = (await makePeople(two.server.dataDir, ['cem'])) as [Person];
  const began = performance.now();
  const made = await post({ status: `@cem@${two.host} and @nobody@${two.host}, hello` });
  assert.ok(performance.now() - began < MENTION_MS_MAX);
  assert.deepEqual(
    made.mentions.map(({ acct }: Answer) => acct),
    [`cem@${two.host}`],
  );
  await seen('the mention', async () => {
    const told = (await call(two.server.url, cem, 'GET', '/api/v1/notifications')) as Answer[];
    return told.some(({ type, status }) => type === 'mention' && status.uri === made.uri);
  });
  assert.match((await one.ask('GET', `statuses/${made.id}`)).content, /@nobody@/);
});

test('a changed profile reaches followers', async () => {
  const [one, two] = places();
  const id = await follow(two, one);
  await one.ask('PATCH', 'accounts/update_credentials', { display_name: 'Ann of Felt', note: 'wool and more' });
  const there = await seen('the new name', async () => {
    const now = await two.ask('GET', `accounts/${id}`);
    return now.display_name === 'Ann of Felt' && now;
  });
  assert.match(there.note, /wool and more/);
});

test('a memorial, and its end, reach the servers of followers', async () => {
  const [one, two] = places();
  const [eda] = (await makePeople(one.server.dataDir, ['eda'])) as [Person];
  const { accounts } = await two.find(`@eda@${one.host}`);
  const { id } = accounts[0];
  await two.ask('POST', `accounts/${id}/follow`);
  const followers = () => call(one.server.url, eda, 'GET', `/api/v1/accounts/${eda.id}/followers`) as Promise<Answer[]>;
  await seen('the follower', async () => (await followers()).length === 1);
  const boss = await administrator();
  for (const [verb, memorial] of [
    ['memorialize', true],
    ['unmemorialize', undefined],
  ] as const) {
    await call(one.server.url, boss, 'POST', `/api/v1/admin/accounts/${eda.id}/${verb}`);
    await seen(verb, async () => (await two.ask('GET', `accounts/${id}`)).memorial === memorial);
  }
});

test('the end of an account reaches the servers of its followers', async () => {
  const [one, two] = places();
  const [dee] = (await makePeople(one.server.dataDir, ['dee'])) as [Person];
  const { accounts } = await two.find(`@dee@${one.host}`);
  const { id } = accounts[0];
  await two.ask('POST', `accounts/${id}/follow`);
  const followed = async () => (await two.ask('GET', `accounts/relationships?id[]=${id}`))[0].following;
  const followers = () => call(one.server.url, dee, 'GET', `/api/v1/accounts/${dee.id}/followers`) as Promise<Answer[]>;
  await seen('the follower', async () => (await followers()).length === 1);
  const boss = await administrator();
  await call(one.server.url, boss, 'POST', `/api/v1/admin/accounts/${dee.id}/action`, { type: 'suspend' });
  await call(one.server.url, boss, 'DELETE', `/api/v1/admin/accounts/${dee.id}`);
  await seen('the end of the follow', async () => !(await followed()));
});
