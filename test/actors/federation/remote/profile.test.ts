import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authority, isRefused } from '../../../../actors/federation/reading/authority.js';
import { readActor } from '../../../../actors/federation/remote/profile.js';

const id = 'https://far.example/users/ann';
const nowMs = Date.parse('2026-11-24T00:00:00Z');
const document = {
  id,
  type: 'Person',
  preferredUsername: 'ann',
  name: 'Ann :blob:',
  summary: '<p>Hi <script>x</script></p>',
  url: 'https://far.example/@ann',
  inbox: `${id}/inbox`,
  outbox: `${id}/outbox`,
  followers: { id: `${id}/followers`, type: 'OrderedCollection', totalItems: 7 },
  featured: `${id}/featured`,
  featuredAccounts: `${id}/accounts`,
  featuredCollections: `${id}/featured_collections`,
  attributionDomains: ['News.example', 7, 'x y', 'news.example'],
  endpoints: { sharedInbox: 'https://far.example/inbox' },
  manuallyApprovesFollowers: true,
  discoverable: true,
  published: '2020-02-03T00:00:00Z',
  icon: { type: 'Image', url: 'https://far.example/a.png' },
  image: { type: 'Image', url: [{ type: 'Link', href: 'https://cdn.example/h.png' }] },
  tag: [{ type: 'Emoji', name: ':blob:', icon: { url: 'https://far.example/blob.png' } }],
  attachment: [
    { type: 'PropertyValue', name: 'Home', value: '<a href="https://ann.example" rel="me">ann</a>' },
    { type: 'Note', name: 'no field' },
  ],
  publicKey: { id: `${id}#main-key`, owner: id, publicKeyPem: 'PEM' },
  alsoKnownAs: ['https://old.example/users/ann'],
};

/** Reads a document that was fetched at its id. */
function read(more: object = {}) {
  const whole = { ...document, ...more };
  const verdict = authority(whole, { finalUrl: id, expected: id });
  assert.ok(!isRefused(verdict));
  return readActor(whole, verdict, nowMs);
}

test('an account that its server keeps in memory of its owner is known as such', () => {
  assert.equal(read({ memorial: true })?.actor.memorial, true);
  for (const memorial of [false, 1, [true], {}]) assert.equal(read({ memorial })?.actor.memorial, undefined);
});

test('a profile is read with sanitised texts, pictures, emoji and keys', () => {
  const found = read();
  assert.deepEqual(found?.profile, {
    displayName: 'Ann :blob:',
    note: '<p>Hi </p>',
    locked: true,
    bot: false,
    discoverable: true,
    indexable: false,
    hideCollections: false,
    fields: [
      {
        name: 'Home',
        value: '<a href="https://ann.example/" rel="nofollow noopener" target="_blank">ann</a>',
      },
    ],
    privacy: 'public',
    sensitive: false,
    language: '',
    attribution: { domains: ['news.example'] },
  });
  assert.deepEqual(found?.actor, {
    uri: id,
    url: 'https://far.example/@ann',
    inbox: `${id}/inbox`,
    sharedInbox: 'https://far.example/inbox',
    outbox: `${id}/outbox`,
    followersUri: `${id}/followers`,
    featuredUri: `${id}/featured`,
    featuredAccountsUri: `${id}/accounts`,
    featuredCollectionsUri: `${id}/featured_collections`,
    keys: [{ id: `${id}#main-key`, pem: 'PEM' }],
    type: 'Person',
    alsoKnownAs: ['https://old.example/users/ann'],
    movedTo: '',
    fetchedAtMs: nowMs,
    gone: false,
    followers: 7,
    following: undefined,
    statuses: undefined,
    avatarUrl: 'https://far.example/a.png',
    headerUrl: 'https://cdn.example/h.png',
    emojis: [{ shortcode: 'blob', url: 'https://far.example/blob.png' }],
    publishedMs: Date.parse('2020-02-03T00:00:00Z'),
  });
});

test('too much of anything is cut', () => {
  const many = (count: number, one: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => one(index));
  const found = read({
    name: 'x'.repeat(1_000_000),
    summary: `<p>${'y'.repeat(100_000)}`,
    attachment: many(10_000, (index) => ({ type: 'PropertyValue', name: `n${index}`, value: 'v'.repeat(9_999) })),
    tag: many(10_000, (index) => ({ type: 'Emoji', name: `:e${index}:`, icon: { url: 'https://far.example/e.png' } })),
    alsoKnownAs: many(10_000, (index) => ({ id: `https://far.example/${index}` })),
    publicKey: many(10_000, (index) => ({ id: `${id}#${index}`, owner: id, publicKeyPem: 'PEM' })),
  });
  assert.equal(found?.profile.displayName.length, 500);
  assert.equal(found?.profile.note.length, 20_000 + '</p>'.length);
  assert.equal(found?.profile.fields.length, 16);
  assert.equal(found?.profile.fields[0]?.value.length, 2_047);
  assert.equal(found?.actor.emojis.length, 100);
  assert.equal(found?.actor.alsoKnownAs.length, 20);
  assert.ok((found?.actor.keys.length ?? 0) <= 5);
});

test('values of the wrong type count as absent', () => {
  for (const wrong of [
    null,
    1,
    true,
    [],
    {},
    [[]],
    [null],
    'no address',
    { id: 1 },
    'javascript:x',
    'data:text/html,x',
  ]) {
    const found = read({
      name: wrong === 'no address' ? 1 : wrong,
      icon: wrong,
      image: wrong,
      tag: wrong,
      attachment: wrong,
      endpoints: wrong,
      outbox: wrong,
      followers: wrong,
      published: wrong,
      alsoKnownAs: wrong,
      publicKey: wrong,
      summary: 1,
    });
    assert.ok(found !== undefined, JSON.stringify(wrong));
    const { avatarUrl, headerUrl, emojis, sharedInbox, outbox, followersUri, publishedMs, keys } = found.actor;
    assert.deepEqual(
      [avatarUrl, headerUrl, emojis, sharedInbox, outbox, followersUri, publishedMs, keys],
      ['', '', [], '', '', '', 0, []],
    );
  }
});

test('an actor without an inbox or a usable name is no account', () => {
  for (const more of [
    { inbox: undefined },
    { inbox: 'javascript:alert(1)' },
    { inbox: 'https://user@far.example/inbox' },
    { preferredUsername: undefined },
    { preferredUsername: '' },
    { preferredUsername: 'a/b' },
    { preferredUsername: 'a@v.example' },
    { preferredUsername: '<b>ann</b>' },
    { preferredUsername: 'x'.repeat(500) },
  ])
    assert.equal(read(more), undefined, JSON.stringify(more));
});

test('keys and collections of others do not count', () => {
  const victim = 'https://v.example/users/vic';
  const found = read({
    publicKey: [
      { id: `${victim}#main-key`, owner: id, publicKeyPem: 'PEM' },
      { id: `${id}#main-key`, owner: victim, publicKeyPem: 'PEM' },
    ],
    followers: `${victim}/followers`,
    url: 'https://v.example/@vic',
  });
  assert.deepEqual([found?.actor.keys, found?.actor.followersUri, found?.actor.url], [[], '', '']);
});

test('an account is never younger than now', () => {
  assert.equal(read({ published: '2100-01-01T00:00:00Z' })?.actor.publishedMs, nowMs);
  assert.equal(read({ published: '1960-01-01T00:00:00Z' })?.actor.publishedMs, 0);
});
