import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyProfile } from '../../../actors/account/profile.js';
import { RECEIVED_REMEMBERED_MAX } from '../../../actors/account/remote.js';
import { initialAccount } from '../../../actors/account/slices.js';
import { accountSlice } from '../../../actors/kinds/account.js';
import { accountRecord } from '../../../actors/reactions/account/rows.js';
import type { CommandSpec } from '../../../actors/runtime/slice.js';
import type { StoreRemoteActor, StoreStatusRecord } from '../../../proto/gen/types.js';
import { given } from '../../kit/actors/given.js';
import { registration } from '../reactions/town.js';
import { newcomer, other, self, startMs } from './newcomer.js';

const actor: StoreRemoteActor = {
  uri: 'https://far.example/users/ann',
  url: 'https://far.example/@ann',
  inbox: 'https://far.example/users/ann/inbox',
  sharedInbox: 'https://far.example/inbox',
  outbox: '',
  followersUri: 'https://far.example/users/ann/followers',
  featuredUri: '',
  keys: [{ id: 'https://far.example/users/ann#main-key', pem: 'PEM' }],
  type: 'Person',
  alsoKnownAs: [],
  movedTo: '',
  fetchedAtMs: startMs,
  gone: false,
  followers: 9,
  avatarUrl: '',
  headerUrl: '',
  emojis: [],
  publishedMs: 0,
};
const described = {
  username: 'Ann',
  domain: 'far.example',
  profile: { ...emptyProfile, displayName: 'Ann of Far' },
  actor,
};
const newActor = () => given(accountSlice, initialAccount(self), { self, nowMs: startMs });
const remote = () => newActor().when('describe', described);
const note = (uri: string): StoreStatusRecord => ({
  id: '',
  accountId: '',
  conversationId: '',
  text: 'hello',
  html: '<p>hello</p>',
  spoilerText: '',
  visibility: 'public',
  sensitive: false,
  mentions: [],
  tags: [],
  createdAtMs: startMs - 1_000,
  editedAtMs: 0,
  deleted: false,
  favourites: 0,
  reblogs: 0,
  replies: 0,
  domain: 'far.example',
  origin: { uri, url: '' },
});

/** Sends commands one after the other; each answer has the events of its own command. */
function acting(from: ReturnType<typeof newActor>) {
  let now = from;
  return {
    state: from.state,
    send: ((command, input, at) => {
      const before = now.events.length;
      now = now.when(command, input, at);
      return {
        types: now.events.slice(before).map(({ type }) => type),
        last: now.events.at(-1),
        reply: now.reply,
        problem: now.lastProblem,
      };
    }) as <K extends Parameters<typeof from.when>[0]>(
      command: K,
      input: object,
      at?: Parameters<typeof from.when>[2],
    ) => {
      types: string[];
      last: (typeof from.events)[number] | undefined;
      reply: unknown;
      problem: unknown;
    },
  };
}

test('a remote account has the names and numbers that its server states, and counts in no total', () => {
  const { state, events } = remote();
  assert.equal(events.length, 1);
  const record = accountRecord(state);
  assert.deepEqual([record.username, record.domain], ['Ann', 'far.example']);
  assert.deepEqual([record.followers, record.remote?.followers], [0, 9], 'followers here, and all that it reports');
  assert.deepEqual(record.origin, { uri: actor.uri, url: actor.url });
  assert.equal(record.email, '');
  assert.equal(state.joinedDay, undefined);
});

test('a description that is not newer has no effect, and another actor cannot take the account', () => {
  const account = acting(remote());
  const older = { ...described, profile: emptyProfile, actor: { ...actor, fetchedAtMs: startMs - 1 } };
  assert.deepEqual(account.send('describe', older).types, []);
  const foreign = { ...described, actor: { ...actor, uri: 'https://evil.example/a', fetchedAtMs: startMs + 1 } };
  assert.ok(account.send('describe', foreign).problem);
  const renamed = { ...described, username: 'eve', actor: { ...actor, fetchedAtMs: startMs + 1 } };
  assert.deepEqual(account.send('describe', renamed).types, ['described']);
  assert.equal(account.state.origin?.username, 'Ann');
});

type Traits = Pick<CommandSpec<unknown, unknown, unknown>, 'remote' | 'unregistered'>;
const commands: [string, Traits][] = Object.entries(accountSlice.commands);
const notFound = { problem: 'not_found', detail: 'Record not found' };
const namesOf = (wanted: (spec: Traits) => boolean) =>
  commands.flatMap(([name, spec]) => (wanted(spec) ? [name] : [])).sort();

test('an account is either local or remote', () => {
  assert.ok(newcomer().when('describe', described).lastProblem);
  assert.ok(remote().when('register', registration('ann')).lastProblem);
  const onlyRemote = namesOf((spec) => spec.remote === 'only');
  assert.ok(onlyRemote.includes('vanish'));
  for (const command of onlyRemote)
    assert.ok(newcomer().when(command as 'vanish', {}).lastProblem, `a local account answers ${command}`);
});

test('a remote account answers only the commands that make sense for it', () => {
  for (const command of namesOf((spec) => spec.remote === undefined && spec.unregistered === undefined)) {
    const { types, problem } = acting(remote()).send(command as 'notify', {});
    assert.deepEqual([types, problem], [[], notFound], command);
  }
  const ignored = namesOf((spec) => spec.remote === 'ignores');
  assert.ok(ignored.includes('notify'));
  for (const command of ignored) {
    const { types, problem } = acting(remote()).send(command as 'notify', {});
    assert.deepEqual([types, problem], [[], undefined], command);
  }
});

test('an account that nobody has registered or described takes only the commands that may come first', () => {
  assert.deepEqual(
    namesOf((spec) => spec.unregistered === true),
    ['credentials', 'describe', 'register'],
  );
  for (const command of namesOf((spec) => spec.unregistered === undefined)) {
    const nobody = given(accountSlice, initialAccount(self));
    assert.deepEqual(nobody.when(command as 'notify', {} as never).lastProblem, notFound, command);
  }
});

test('moderators write notes about a remote account, too', () => {
  const account = acting(remote());
  assert.deepEqual(account.send('addModerationNote', { by: other, text: 'spam' }).types, ['moderationNoteAdded']);
  const [note] = account.state.moderationNotes ?? [];
  const removal = { id: note?.id ?? '', by: other };
  assert.deepEqual(account.send('removeModerationNote', removal).types, ['moderationNoteRemoved']);
});

test('a follow by a remote account tells the other side where answers go', () => {
  const follower = { uri: actor.uri, inbox: actor.inbox, sharedInbox: actor.sharedInbox, activityId: 'https://x/1' };
  const follow = { follower: other, edgeId: '7', believedPending: false, remote: follower };
  const added = newcomer().when('addFollower', follow).events[0];
  assert.deepEqual(added?.type === 'followerAdded' && added.remote, follower);
});

test('a status is received once, also when its row is all that is left of it', () => {
  const account = acting(remote());
  const uri = 'https://far.example/notes/1';
  const { reply } = account.send('receive', { status: note(uri) });
  const first = reply as { id: string; conversationId: string };
  assert.equal(first.id, first.conversationId);
  const known = { ...first, outcome: 'known' };
  const again = account.send('receive', { status: note(uri) });
  assert.deepEqual([again.types, again.reply], [[], known]);
  for (let at = 0; at < RECEIVED_REMEMBERED_MAX; at++)
    account.send('receive', { status: note(`https://far.example/notes/more-${at}`) });
  assert.equal(account.state.received.has(uri), false);
  const byRow = account.send('receive', { status: note(uri) }, { row: { ...first, accountId: self } });
  assert.deepEqual([byRow.types, byRow.reply], [[], known]);
});

test('a Create after its Delete has no effect', () => {
  const account = acting(remote());
  const uri = 'https://far.example/notes/1';
  account.send('forgetReceived', { uri });
  const created = account.send('receive', { status: note(uri) });
  assert.deepEqual([created.types, created.reply], [[], { outcome: 'deleted', id: '', conversationId: '' }]);
});

test('a deleted remote account stays deleted', () => {
  const account = acting(remote());
  account.send('vanish', {});
  assert.equal(account.state.moderation.deleted, true);
  const again = { ...described, actor: { ...actor, fetchedAtMs: startMs + 1 } };
  assert.deepEqual(account.send('describe', again).types, []);
});
