import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStampOf, quoteIn, quotePoliciesIn } from '../../../../actors/federation/reading/quote.js';
import { PUBLIC } from '../../../kit/federation/peer.js';

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
  assert.equal(isStampOf(stamp, stamped.uri, stamped), true);
  const embedded = { ...stamp, interactingObject: { id: stamped.quoting }, type: ['QuoteAuthorization'] };
  assert.equal(isStampOf(embedded, stamped.uri, stamped), true);
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
    assert.equal(isStampOf({ ...stamp, ...change }, finalUrl, { ...stamped, uri }), false, what);
});

test('the first property that names a quote counts, with its stamp', () => {
  const [one, two] = ['https://v.example/notes/1', 'https://v.example/notes/2'];
  assert.deepEqual(quoteIn({ quote: one, quoteUri: two, quoteAuthorization: stamped.uri }), {
    uri: one,
    approvalUri: stamped.uri,
  });
  for (const name of ['quoteUrl', 'quoteUri', '_misskey_quote'])
    assert.deepEqual(quoteIn({ [name]: one }), { uri: one, approvalUri: undefined }, name);
  for (const quote of [null, 7, '', 'ftp://v.example/1', 'https://u@v.example/1', [], {}])
    assert.equal(quoteIn({ quote }), undefined);
});

test('a policy permits everybody or followers, and without one nobody may quote', () => {
  const followers = `${author}/followers`;
  const policy = (canQuote: unknown) => quotePoliciesIn({ interactionPolicy: { canQuote } }, followers);
  const none = { automatic: 'nobody', manual: 'nobody' };
  assert.deepEqual(quotePoliciesIn({}, followers), none);
  for (const odd of [undefined, null, 7, [], 'Public', { automaticApproval: author }])
    assert.deepEqual(policy(odd), none);
  assert.deepEqual(policy({ automaticApproval: [followers], manualApproval: PUBLIC }), {
    automatic: 'followers',
    manual: 'public',
  });
  assert.deepEqual(quotePoliciesIn({ interactionPolicy: { canQuote: { automaticApproval: '' } } }, ''), none);
});
