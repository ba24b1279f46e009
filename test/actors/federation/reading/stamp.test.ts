import assert from 'node:assert/strict';
import { test } from 'node:test';
import { featureStampDocument, stampDocument } from '../../../../actors/federation/documents/stamp.js';
import { isStampOf } from '../../../../actors/federation/reading/stamp.js';

const author = 'https://v.example/users/vera';
const stamped = {
  uri: 'https://v.example/stamps/1',
  quotedAuthor: author,
  quoting: 'https://q.example/notes/9',
  quoted: 'https://v.example/notes/1',
};
const stamp = {
  id: stamped.uri,
  type: 'QuoteAuthorization',
  attributedTo: author,
  interactingObject: stamped.quoting,
  interactionTarget: stamped.quoted,
};

test('a stamp permits the quote that it names', () => {
  assert.equal(isStampOf(stamp, stamped.uri, stampDocument(stamped)), true);
  const embedded = { ...stamp, interactingObject: { id: stamped.quoting }, type: ['QuoteAuthorization'] };
  assert.equal(isStampOf(embedded, stamped.uri, stampDocument(stamped)), true);
});

test('a stamp that is forged, of another origin, of somebody else or for another pair permits nothing', () => {
  const elsewhere = 'https://a.example/stamps/1';
  const forged: readonly (readonly [string, object, string?, string?])[] = [
    ['another type', { type: 'Note' }],
    ['no type', { type: undefined }],
    ['another author', { attributedTo: 'https://v.example/users/mallory' }],
    ['an author of another server', { attributedTo: 'https://a.example/users/vera' }],
    ['two authors', { attributedTo: [author, 'https://v.example/users/mallory'] }],
    ['no author', { attributedTo: undefined, actor: author }],
    ['another quoting status', { interactingObject: 'https://q.example/notes/8' }],
    ['another quoted status', { interactionTarget: 'https://v.example/notes/2' }],
    ['the pair the wrong way round', { interactingObject: stamped.quoted, interactionTarget: stamped.quoting }],
    ['several quoting statuses', { interactingObject: [stamped.quoting, 'https://q.example/notes/8'] }],
    ['another id', { id: 'https://v.example/stamps/2' }],
    ['no id', { id: undefined }],
    ['a redirect to another server', {}, elsewhere],
    ['a stamp on another server', { id: elsewhere }, elsewhere, elsewhere],
    ['a stamp that is the quoted status', { id: stamped.quoted, type: 'Note' }, stamped.quoted, stamped.quoted],
  ];
  for (const [what, change, finalUrl = stamped.uri, uri = stamped.uri] of forged)
    assert.equal(isStampOf({ ...stamp, ...change }, finalUrl, stampDocument({ ...stamped, uri })), false, what);
});

test('a stamp of one kind does not permit another', () => {
  const feature = featureStampDocument({ uri: stamped.uri, featured: author, collection: stamped.quoting });
  const same = { ...feature, type: 'QuoteAuthorization' };
  assert.equal(isStampOf({ ...feature }, stamped.uri, feature), true);
  assert.equal(isStampOf(same, stamped.uri, feature), false);
  assert.equal(isStampOf({ ...feature, interactingObject: 'https://q.example/notes/8' }, stamped.uri, feature), false);
});
