import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Allowed, authority, isRefused, keysOf } from '../../../../actors/federation/reading/authority.js';
import type { JsonObject } from '../../../../actors/federation/reading/values.js';
import { fc } from '../../../kit/property.js';

const ann = 'https://far.example/users/ann';
const bob = 'https://far.example/users/bob';
const eve = 'https://evil.example/users/eve';
const note = { id: 'https://far.example/notes/1', type: 'Note', attributedTo: ann, content: 'hello' };
const create = { id: 'https://far.example/acts/1', type: 'Create', actor: ann, object: note };

function allowed(document: JsonObject, proof: Parameters<typeof authority>[1]): Allowed {
  const verdict = authority(document, proof);
  assert.ok(!isRefused(verdict), JSON.stringify(verdict));
  return verdict;
}
function refused(document: JsonObject, proof: Parameters<typeof authority>[1]): string {
  const verdict = authority(document, proof);
  assert.ok(isRefused(verdict), JSON.stringify(verdict));
  return verdict.refused;
}

test('an activity that its actor signed is believed with the own object in it', () => {
  const verdict = allowed(create, { signer: ann });
  assert.deepEqual(verdict.object, note);
  assert.equal(verdict.author, ann);
  assert.equal(verdict.id, create.id);
});

test('an activity of another actor than its signer is refused, also on the same server', () => {
  refused(create, { signer: bob });
  refused({ ...create, actor: bob }, { signer: ann });
  refused({ ...create, actor: [ann, bob] }, { signer: ann });
  refused({ ...create, actor: undefined }, { signer: ann });
});

test('an activity whose id lies on another server is refused', () => {
  refused({ ...create, id: 'https://evil.example/acts/1' }, { signer: ann });
  refused({ ...create, id: 'https://far.example@evil.example/acts/1' }, { signer: ann });
  refused({ ...create, id: 7 }, { signer: ann });
});

test('an activity without an id is believed and has none', () => {
  assert.equal(allowed({ ...create, id: undefined }, { signer: ann }).id, undefined);
});

test('an embedded object of somebody else is not believed but can be fetched', () => {
  for (const object of [
    { ...note, attributedTo: bob },
    { ...note, attributedTo: eve },
    { ...note, attributedTo: [ann, eve] },
    { ...note, attributedTo: [bob] },
    { ...note, attributedTo: undefined },
    { ...note, actor: ann, attributedTo: eve },
    { ...note, actor: eve },
    { ...note, id: 'https://evil.example/notes/1' },
    { id: bob, type: 'Person', attributedTo: ann },
  ]) {
    const verdict = allowed({ ...create, object }, { signer: ann });
    assert.equal(verdict.object, undefined, JSON.stringify(object));
    assert.equal(verdict.objectId, object.id);
  }
});

test('an object with several authors of one server is believed if the sender is among them', () => {
  assert.ok(allowed({ ...create, object: { ...note, attributedTo: [bob, ann] } }, { signer: ann }).object);
  assert.ok(allowed({ ...create, object: { ...note, attributedTo: { id: ann, type: 'Person' } } }, { signer: ann }));
});

test('a fetched object is believed at its own server only', () => {
  assert.equal(allowed(note, { finalUrl: note.id }).author, ann);
  assert.equal(allowed(note, { finalUrl: 'https://far.example/@ann/1' }).id, note.id);
  const verdict = authority(note, { finalUrl: 'https://evil.example/notes/1' });
  assert.deepEqual(verdict, { refused: 'the id is on another server', fetchAt: note.id });
  refused({ ...note, attributedTo: eve }, { finalUrl: note.id });
  refused({ ...note, attributedTo: [ann, eve] }, { finalUrl: note.id });
  refused({ ...note, attributedTo: undefined }, { finalUrl: note.id });
  refused({ ...note, id: undefined }, { finalUrl: note.id });
});

test('an actor has exactly the id at which it was requested', () => {
  const person = { id: ann, type: 'Person' };
  assert.equal(allowed(person, { finalUrl: ann, expected: ann }).author, ann);
  refused({ ...person, id: bob }, { finalUrl: ann, expected: ann });
  refused(person, { finalUrl: eve, expected: eve });
});

test('exactly one proof is required', () => {
  refused(create, {});
  refused(create, { signer: ann, finalUrl: create.id });
});

test('an address as page counts on the server of its author only', () => {
  const page = 'https://far.example/@ann/1';
  assert.equal(allowed({ ...note, url: page }, { finalUrl: note.id }).url, page);
  assert.equal(allowed({ ...note, url: 'https://evil.example/1' }, { finalUrl: note.id }).url, undefined);
  const links = [
    { type: 'Link', href: 'https://far.example/1.mp4', mediaType: 'video/mp4' },
    { type: 'Link', href: page, mediaType: 'text/html' },
  ];
  assert.equal(allowed({ ...note, url: links }, { finalUrl: note.id }).url, page);
});

test('spellings of one host are one server, those of another are not', () => {
  for (const host of ['FAR.example', 'far.example.', 'far.example:443', 'Far.EXAMPLE.:443']) {
    assert.equal(allowed({ ...create, actor: `https://${host}/users/ann` }, { signer: ann }).author, ann);
  }
  const punycode = { ...create, id: 'https://xn--bcher-kva.example/1', actor: 'https://bücher.example/users/ann' };
  assert.ok(allowed(punycode, { signer: 'https://xn--bcher-kva.example/users/ann' }));
  for (const id of [
    'https://far.example:8443/1',
    'http://far.example/1',
    'https://user@far.example/1',
    'https://far.example%2f.evil.example/1',
    'https://far.example\\@evil.example/1',
    'https://far.example\t/1',
    ' https://far.example/1',
    'data:text/plain,1',
    'https:///1',
    '//far.example/1',
  ]) {
    refused({ ...create, id }, { signer: ann });
  }
});

test('a key counts only if it and its owner name each other', () => {
  const key = { id: `${ann}#main-key`, owner: ann, publicKeyPem: 'PEM' };
  const actor = { id: ann, type: 'Person', publicKey: key };
  assert.deepEqual(keysOf(actor), [{ id: key.id, pem: 'PEM' }]);
  assert.deepEqual(keysOf({ ...actor, publicKey: [key, { ...key, id: `${ann}#2` }] }).length, 2);
  assert.deepEqual(keysOf({ ...actor, publicKey: { ...key, owner: bob } }), []);
  assert.deepEqual(keysOf({ ...actor, publicKey: { ...key, id: 'https://evil.example/key' } }), []);
  assert.deepEqual(keysOf({ ...actor, id: eve }), []);
});

// The oracle below states the rules anew, on the URL parser alone.
const hosts = ['far.example', 'FAR.example.', 'evil.example', 'far.example:8443', 'x@far.example', 'far.example\\evil'];
const uri = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('https', 'http'),
      fc.constantFrom(...hosts),
      fc.constantFrom('/users/ann', '/users/bob', '/1'),
    )
    .map(([scheme, host, path]) => `${scheme}://${host}${path}`),
  fc.constantFrom(ann, ann, bob, eve),
);
const reference = fc.oneof(uri, uri, fc.array(uri, { maxLength: 3 }), fc.record({ id: uri }), fc.constant(undefined));
const type = fc.constantFrom('Note', 'Person', 'Create', 'Collection', ['Note', 'Person'], undefined);
const object = fc.record({ id: reference, type, attributedTo: reference, actor: reference, url: reference });
const document = fc.record({
  id: reference,
  type,
  actor: reference,
  attributedTo: reference,
  object: fc.oneof(object, reference),
  url: reference,
});

const origin = (text: unknown): string => {
  assert.equal(typeof text, 'string');
  const { username, protocol, host } = new URL(text as string);
  assert.equal(username, '');
  return `${protocol}//${host.replace(/\.(?=:|$)/, '')}`;
};
const addresses = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value ?? []])
    .flat()
    .map((one) => (typeof one === 'object' ? (one as { id: string }).id : one));
const isSame = (one: string, other: string) =>
  new URL(one).pathname === new URL(other).pathname && origin(one) === origin(other);

test('nothing is believed beyond the origin that proved it, whatever a document says', () => {
  fc.assert(
    fc.property(document, uri, fc.boolean(), (given, proof, signed) => {
      const verdict = authority(given, signed ? { signer: proof } : { finalUrl: proof });
      if (isRefused(verdict)) return;
      const own = origin(proof);
      if (verdict.id !== undefined) assert.equal(origin(verdict.id), own);
      else assert.ok(signed);
      if (signed) {
        const actors = addresses(given.actor);
        assert.ok(actors.length === 1 && isSame(actors[0] as string, proof));
        assert.ok(isSame(verdict.author as string, proof));
      }
      if (verdict.author !== undefined) assert.equal(origin(verdict.author), own);
      if (verdict.url !== undefined) assert.equal(origin(verdict.url), own);
      if (verdict.object === undefined) return;
      const { id, attributedTo, actor } = verdict.object as { id?: unknown; attributedTo?: unknown; actor?: unknown };
      for (const one of addresses(id)) assert.equal(origin(one), own);
      const isActor = [verdict.object.type].flat().includes('Person');
      const authors = isActor ? addresses(id) : [...addresses(actor), ...addresses(attributedTo)];
      assert.ok(authors.some((one) => isSame(one, verdict.author as string)));
      for (const one of authors) assert.equal(origin(one), own);
    }),
    { numRuns: 20_000 },
  );
});
