import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNote } from '../../../../actors/federation/remote/note.js';
import { fc } from '../../../kit/property.js';

const PUBLIC = 'https://www.w3.org/ns/activitystreams#Public';
const author = {
  uri: 'https://far.example/users/ann',
  domain: 'far.example',
  followersUri: 'https://far.example/users/ann/followers',
};
const nowMs = Date.parse('2026-11-24T00:00:00Z');
const note = {
  id: 'https://far.example/notes/1',
  type: 'Note',
  attributedTo: author.uri,
  to: [PUBLIC],
  cc: [author.followersUri],
  content: '<p>hello</p>',
  published: '2026-11-23T00:00:00Z',
};
const read = (more: object = {}) => readNote({ ...note, ...more }, author, nowMs);
const status = (more: object = {}) => read(more)?.status;
const many = <T>(one: (index: number) => T) => Array.from({ length: 9_000 }, (_, index) => one(index));

test('a status has the visibility that its audience expresses', () => {
  for (const [to, cc, visibility] of [
    [[PUBLIC], [], 'public'],
    ['as:Public', [], 'public'],
    [[author.followersUri], [PUBLIC], 'unlisted'],
    [[author.followersUri], [], 'private'],
    [['https://far.example/users/bob'], [], 'direct'],
    [[], [], 'direct'],
    [['https://v.example/users/vic/followers'], [], 'direct'],
  ] as const)
    assert.equal(status({ to, cc })?.visibility, visibility, JSON.stringify([to, cc]));
});

test('people who are addressed without a mention belong to those who may see a closed status', () => {
  const [bob, eve] = ['https://far.example/users/bob', 'https://far.example/users/eve'];
  const tag = [{ type: 'Mention', href: bob }];
  assert.deepEqual(read({ to: [bob, eve], cc: [], tag })?.mentioned, [bob, eve]);
  assert.deepEqual(read({ cc: [eve], tag })?.mentioned, [bob]);
});

test('too much of anything is cut', () => {
  const found = read({
    content: 'x'.repeat(1_000_000),
    summary: 'w'.repeat(1_000_000),
    tag: many((index) => [
      { type: 'Mention', href: `https://far.example/users/${index}` },
      { type: 'Hashtag', name: `#tag${index}` },
      { type: 'Emoji', name: `:e${index}:`, icon: { url: 'https://far.example/e.png' } },
    ]).flat(),
    attachment: many((index) => ({ type: 'Document', mediaType: 'image/png', url: `https://far.example/${index}` })),
  });
  assert.equal(found?.status.html.length, 100_000);
  assert.equal(found?.status.spoilerText.length, 2_000);
  assert.ok((found?.mentioned.length ?? 0) <= 100);
  assert.equal(found?.status.tags.length, 64);
  assert.equal(found?.status.remote?.emojis.length, 100);
  assert.equal(found?.status.media?.media.length, 16);
  const poll = status({ type: 'Question', oneOf: many((index) => ({ name: `${index}`.repeat(900) })) })?.poll;
  assert.deepEqual([poll?.options.length, poll?.options[0]?.title.length], [20, 500]);
});

test('dates are never in the future or before 1970', () => {
  assert.equal(status({ published: '2100-01-01T00:00:00Z' })?.createdAtMs, nowMs);
  assert.equal(status({ published: '1950-01-01T00:00:00Z' })?.createdAtMs, 0);
  assert.equal(status({ published: 'yesterday' })?.createdAtMs, nowMs);
  assert.equal(status({ updated: '2100-01-01T00:00:00Z' })?.remote?.updatedMs, nowMs);
});

test('objects that are no texts show their title and a link, others are no status', () => {
  const page = { type: 'Article', name: 'A <b>title</b>', url: 'https://far.example/a', summary: 'no warning' };
  assert.equal(
    status(page)?.html,
    '<p>A title</p><p><a href="https://far.example/a" rel="nofollow noopener" target="_blank">https://far.example/a</a></p>',
  );
  assert.equal(status(page)?.spoilerText, '');
  for (const type of ['Tombstone', 'Person', 'Create', 'Collection', 'Relationship', undefined, 7, null])
    assert.equal(read({ type }), undefined, String(type));
  assert.equal(read({ name: 'yes', content: undefined, inReplyTo: 'https://here.example/1' }), undefined, 'a vote');
});

test('numbers of polls and media are bounded and never negative', () => {
  const option = (totalItems: unknown) => ({ name: 'a', replies: { totalItems } });
  const poll = (votes: unknown, more = {}) => status({ type: 'Question', oneOf: [option(votes)], ...more })?.poll;
  for (const wrong of [-1, 1.5, '3', null, Number.MAX_VALUE, {}]) assert.equal(poll(wrong)?.options[0]?.votes, 0);
  assert.equal(poll(2 ** 40)?.options[0]?.votes, 2 ** 31 - 1);
  assert.equal(poll(3, { votersCount: -5 })?.voters, 3);
  assert.equal(poll(3, { closed: '2026-11-01T00:00:00Z' })?.ended, true);
  assert.equal(poll(3, { endTime: '2027-11-01T00:00:00Z' })?.ended, false);
  const file = (more: object) =>
    status({ attachment: [{ type: 'Document', mediaType: 'image/png', url: 'https://far.example/a', ...more }] })?.media
      ?.media[0];
  assert.deepEqual([file({ width: -1 })?.width, file({ width: 1e9 })?.width], [0, 100_000]);
  assert.equal(file({ blurhash: '<script>' })?.blurhash, '');
  assert.deepEqual(file({ focalPoint: [0.5, -0.5] })?.focus, { x: 0.5, y: -0.5 });
  assert.equal(file({ focalPoint: [9, 'x'] })?.focus, undefined);
  assert.equal(file({ url: 'javascript:alert(1)' }), undefined);
  assert.equal(file({ mediaType: 'text/html' })?.kind, 'unknown');
});

test('addresses of other servers do not count as the page of a status', () => {
  assert.equal(status({ url: 'https://v.example/@vic/1' })?.origin?.url, '');
  assert.equal(status({ url: 'https://far.example/@ann/1' })?.origin?.url, 'https://far.example/@ann/1');
});

test('no document makes the reader fail', () => {
  const values = fc.jsonValue({ maxDepth: 3 });
  const names = [
    'content',
    'summary',
    'tag',
    'attachment',
    'to',
    'cc',
    'oneOf',
    'anyOf',
    'url',
    'published',
    'updated',
  ];
  const more = fc.record(
    Object.fromEntries(
      [...names, 'inReplyTo', 'contentMap', 'endTime', 'closed', 'replies'].map((name) => [name, values]),
    ),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(more, fc.constantFrom('Note', 'Question', 'Article'), (values, type) => {
      const found = read({ ...values, type });
      assert.ok(
        found === undefined ||
          !/<(?!\/?(?:p|br|a|span|strong|em|b|i|u|s|del|ul|ol|li|pre|code|blockquote)\b)/.test(found.status.html),
      );
    }),
    { numRuns: 1_000 },
  );
});
