import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  COLLECTION_DESCRIPTION_CHARS_MAX,
  COLLECTION_ITEMS_MAX,
  COLLECTION_NAME_CHARS_MAX,
  COLLECTIONS_MAX,
  collectionOf,
  LEFT_REMEMBERED_MAX,
} from '../../../actors/account/collections.js';
import { makeId } from '../../../actors/domain/ids.js';
import type { AccountCollection, AccountCollectionItem } from '../../../proto/gen/types.js';
import { newcomer, other, self, startMs } from './newcomer.js';

const text = { name: 'Birds', description: '', language: '', tag: '', sensitive: false, discoverable: true };
const account = (n: number) => makeId(startMs + n, 3, 0);
const willing = (id: string, consent = 'public') => ({ account: id, consent });
const make = { text, accounts: [willing(other)] };
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
type Told = ReturnType<typeof newcomer>;
const made = ({ reply }: Told) => reply as unknown as AccountCollection;
const begun = () => {
  const alice = newcomer().when('createCollection', make);
  const { id, items } = made(alice);
  return { alice, id, item: items[0]?.id ?? '' };
};

test('a collection is created with its accounts, shown, changed and deleted', () => {
  const { alice, id, item } = begun();
  assert.deepEqual(types(alice.events), ['collectionCreated', 'collectionItemsAdded']);
  assert.deepEqual(alice.when('collections', {}).reply, { ids: [id] });
  const known = alice.state.collections.get(id);
  assert.deepEqual(known && collectionOf(self, id, known), {
    ...{ id, owner: self, text, createdAtMs: startMs, updatedAtMs: startMs },
    items: [{ id: item, account: other, createdAtMs: startMs }],
  });
  const renamed = alice.when('updateCollection', { id, name: 'Owls' });
  assert.deepEqual([made(renamed).text?.name, made(renamed).items.length], ['Owls', 1]);
  const gone = renamed.when('deleteCollection', { id });
  assert.deepEqual([types(gone.events).at(-1), gone.state.collections.size], ['collectionDeleted', 0]);
  for (const lost of [
    gone.when('deleteCollection', { id }),
    gone.when('updateCollection', { id, name: 'x' }),
    gone.when('addToCollection', { id, featured: willing(other) }),
    gone.when('removeFromCollection', { id, item }),
    gone.when('leaveCollection', { id, item, by: other }),
  ])
    assert.equal(lost.lastProblem?.problem, 'not_found');
});

test('a change without effect is not recorded, and only a visible change notifies the accounts in a collection', () => {
  const { alice, id } = begun();
  assert.equal(alice.when('updateCollection', { id, name: 'Birds' }).events.length, 2);
  const told = (changes: object) => alice.when('updateCollection', { id, ...changes }).events.at(-1);
  assert.deepEqual(
    [{ language: 'de' }, { discoverable: false }, { description: 'All of them' }, { tag: 'birds' }, { sensitive: true }]
      .map(told)
      .map((event) => [(event as { told?: boolean }).told, (event as { revision?: number }).revision]),
    [
      [false, 1],
      [false, 2],
      [true, 3],
      [true, 4],
      [true, 5],
    ],
  );
});

test('an account is added to a collection only with its consent, never across a block, and only once', () => {
  const add = (alice: Told, id: string, featured = willing(other)) => alice.when('addToCollection', { id, featured });
  const empty = () => newcomer().when('createCollection', { text, accounts: [] });
  const refused = (alice: Told) => alice.lastProblem?.problem;
  const alice = empty();
  const { id } = made(alice);
  assert.equal(refused(add(alice, id, willing(other, 'nobody'))), 'forbidden');
  assert.equal(refused(add(alice, id, willing(other, ''))), 'forbidden', 'an unknown answer is no consent');
  assert.equal(refused(add(alice, id, willing(other, 'followers'))), 'forbidden');
  assert.equal(
    refused(newcomer().when('createCollection', { text, accounts: [willing(other, 'nobody')] })),
    'forbidden',
  );
  const pending = alice.when('follow', { target: other, targetLocked: true });
  assert.equal(
    refused(add(pending, id, willing(other, 'followers'))),
    'forbidden',
    'the follow request is not answered',
  );
  const follower = empty().when('follow', { target: other, targetLocked: false });
  assert.equal(refused(add(follower, id, willing(other, 'followers'))), undefined);
  assert.equal(refused(add(follower, id, willing(other, 'followers'))), 'invalid', 'twice');
  assert.equal(refused(add(empty().when('block', { target: other }), id)), 'forbidden');
  assert.equal(refused(add(empty().when('receiveBlock', { from: other, on: true }), id)), 'forbidden');
  assert.equal(refused(add(empty(), id, willing(self, 'nobody'))), undefined, 'the owner needs no consent');
});

test('an account that leaves a collection stays out, and can only be removed by itself', () => {
  const { alice, id, item } = begun();
  assert.equal(alice.when('leaveCollection', { id, item, by: account(9) }).lastProblem?.problem, 'forbidden');
  const left = alice.when('leaveCollection', { id, item, by: other });
  assert.equal(left.state.collections.get(id)?.items.size, 0);
  assert.equal(left.when('addToCollection', { id, featured: willing(other) }).lastProblem?.problem, 'forbidden');
  const { alice: again, id: same, item: first } = begun();
  const out = again.when('removeFromCollection', { id: same, item: first });
  assert.equal(out.when('addToCollection', { id: same, featured: willing(other) }).lastProblem, undefined);
  for (let n = 0; n < LEFT_REMEMBERED_MAX + 5; n++) {
    const reply = again.when('addToCollection', { id: same, featured: willing(account(n)) }).reply;
    const { id: place } = reply as unknown as AccountCollectionItem;
    again.when('leaveCollection', { id: same, item: place, by: account(n) });
  }
  assert.equal(again.state.collections.get(same)?.left.size, LEFT_REMEMBERED_MAX);
});

test('a block removes each account from the other’s collections', () => {
  for (const end of [
    begun().alice.when('block', { target: other }),
    begun().alice.when('receiveBlock', { from: other, on: true }),
  ])
    assert.deepEqual(
      [types(end.events).includes('collectionItemsRemoved'), [...end.state.collections.values()][0]?.items.size],
      [true, 0],
    );
  const others = begun().alice.when('block', { target: account(9) });
  assert.equal([...others.state.collections.values()][0]?.items.size, 1);
});

test('the number of collections, their accounts and the lengths of their texts are bounded', () => {
  const alice = newcomer();
  for (let n = 0; n < COLLECTIONS_MAX; n++)
    assert.equal(alice.when('createCollection', { text, accounts: [] }).lastProblem, undefined);
  assert.equal(alice.when('createCollection', { text, accounts: [] }).lastProblem?.problem, 'limit_reached');
  const many = (count: number) => Array.from({ length: count }, (_, n) => willing(account(n)));
  const crowd = newcomer().when('createCollection', { text, accounts: many(COLLECTION_ITEMS_MAX + 1) });
  assert.equal(crowd.lastProblem?.problem, 'limit_reached');
  const twice = newcomer().when('createCollection', { text, accounts: [willing(other), willing(other)] });
  assert.equal(made(twice).items.length, 1);
  const full = newcomer().when('createCollection', { text, accounts: many(COLLECTION_ITEMS_MAX) });
  const more = full.when('addToCollection', { id: made(full).id, featured: willing(other) });
  assert.equal(more.lastProblem?.problem, 'limit_reached');
  const fields = (change: object) =>
    Object.keys(
      newcomer().when('createCollection', { text: { ...text, ...change }, accounts: [] }).lastProblem?.fields ?? {},
    );
  assert.deepEqual(fields({ name: ' ' }), ['name']);
  assert.deepEqual(fields({ name: 'é'.repeat(COLLECTION_NAME_CHARS_MAX + 1) }), ['name']);
  assert.deepEqual(fields({ description: 'x'.repeat(COLLECTION_DESCRIPTION_CHARS_MAX + 1) }), ['description']);
  assert.deepEqual(fields({ name: '🦉'.repeat(COLLECTION_NAME_CHARS_MAX) }), []);
});

test('the deletion of an account deletes its collections', () => {
  const { alice, id } = begun();
  const decided = { by: '', text: '', mail: false };
  const ended = alice
    .when('moderate', { action: 'suspend', ...decided })
    .when('moderate', { action: 'delete', ...decided });
  assert.deepEqual(types(ended.events).slice(-2), ['collectionDeleted', 'purged']);
  assert.equal(ended.state.collections.has(id), false);
});
