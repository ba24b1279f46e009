import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyProfile } from '../../../actors/account/profile.js';
import { REMOTE_COLLECTIONS_MAX, REMOTE_ITEMS_MAX } from '../../../actors/account/remote-collections.js';
import { initialAccount } from '../../../actors/account/slices.js';
import { makeId } from '../../../actors/domain/ids.js';
import { accountSlice } from '../../../actors/kinds/account.js';
import type { AccountCollection } from '../../../proto/gen/types.js';
import { given } from '../../kit/actors/given.js';
import { newcomer, other, self, startMs } from './newcomer.js';

const uri = 'https://far.example/users/ann';
const actor = {
  ...{ uri, url: '', inbox: `${uri}/inbox`, sharedInbox: '', outbox: '', followersUri: '', featuredUri: '', keys: [] },
  ...{ type: 'Person', alsoKnownAs: [], movedTo: '', fetchedAtMs: 1, gone: false, avatarUrl: '', headerUrl: '' },
  ...{ emojis: [], publishedMs: 0 },
};
const text = { name: 'Birds', description: '', language: '', tag: '', sensitive: false, discoverable: true };
const item = (account = other, number = 1) => ({
  ...{ id: '', account, createdAtMs: 0, uri: `${uri}/items/${number}` },
  stampUri: `https://far.example/stamps/${number}`,
});
const shelf = { uri: `${uri}/collections/1`, url: '', text, items: [item()], publishedMs: 0, updatedMs: 5 };

/** Returns an account of another server. */
const remote = () =>
  given(accountSlice, initialAccount(self), { self, nowMs: startMs }).when('describe', {
    ...{ username: 'ann', domain: 'far.example', profile: emptyProfile, actor },
  });

test('a collection of another server is stored, replaced by a newer version only, and forgotten', () => {
  const ann = remote();
  const recorded = () => ann.events.length;
  ann.when('describeCollection', shelf);
  const read = () => ann.when('collectionAt', { uri: shelf.uri }).reply as unknown as AccountCollection;
  const first = read();
  assert.deepEqual([first.uri, first.createdAtMs, first.items[0]?.createdAtMs], [shelf.uri, startMs, startMs]);
  const before = recorded();
  ann.when('describeCollection', shelf);
  ann.when('describeCollection', { ...shelf, text: { ...text, name: 'old' }, updatedMs: 4 });
  assert.equal(recorded(), before, 'neither a repetition nor an older version is recorded');
  ann.when('describeCollection', { ...shelf, items: [{ ...item(), stampUri: 'https://far.example/stamps/2' }] });
  const { items } = read();
  assert.deepEqual([items.length, items[0]?.id], [1, first.items[0]?.id], 'a place keeps its id');
  ann.when('forgetCollection', { uri: shelf.uri });
  assert.equal(ann.when('collectionAt', { uri: shelf.uri }).lastProblem?.problem, 'not_found');
});

test('collections of another server and the accounts in them are bounded', () => {
  const ann = remote();
  const many = Array.from({ length: 2 * REMOTE_ITEMS_MAX }, (_, index) => item(makeId(startMs, 1, index % 64), index));
  ann.when('describeCollection', { ...shelf, items: [...many, ...many] });
  assert.equal([...ann.state.collections.values()][0]?.items.size, REMOTE_ITEMS_MAX);
  for (let number = 2; number <= REMOTE_COLLECTIONS_MAX; number++)
    assert.equal(ann.when('describeCollection', { ...shelf, uri: `${uri}/c/${number}` }).lastProblem, undefined);
  assert.equal(ann.when('describeCollection', { ...shelf, uri: `${uri}/c/x` }).lastProblem?.problem, 'limit_reached');
});

test('a local account takes no collection of another server', () => {
  for (const [command, input] of [
    ['describeCollection', shelf],
    ['forgetCollection', { uri: shelf.uri }],
    ['collectionAt', { uri: shelf.uri }],
  ] as const)
    assert.equal(newcomer().when(command, input as never).lastProblem?.problem, 'not_found', command);
});
