import assert from 'node:assert/strict';
import type { Document } from '../../../kit/federation/peer.js';
import { type At, all, atInboxes, type Case, type Cell, FETCHED, NO_DOCUMENTS, type Row } from './case.js';
import { jrdOf } from './hostile-world.js';

// Attacks with documents that are not what their origin may say.

const NOT_SIGNED = 'another server answers a request of this one, and signs nothing';
const NO_TEXT = 'a file, a page or a list of domains names no author and no id';
const FROM_OWNER = 'only the address of the owner is read, and the owner is an entry of its own';
const WHOLE_ACTIVITY = 'the activity around it is an inbox entry; a part is signed with it';
const NO_KEY = 'it has no key';
const NO_TITLE = 'it names what exists, and says nothing itself';

const changed = (change: (at: At) => Document): ((at: At) => Case) => {
  return (at) => ({ document: { ...at.honest, ...change(at) } });
};
const OF_SIGNERS = all(['embedded', 'named'], WHOLE_ACTIVITY);
const onlyAtInboxes = (name: string, title: string): Row => ({
  name,
  cells: {
    inbox: atInboxes(title),
    ...OF_SIGNERS,
    ...all([...FETCHED, 'key', 'name', ...NO_DOCUMENTS], NOT_SIGNED),
  },
});

/** Documents with an id of the victim's server, known or not. */
const otherId: Cell = [changed(({ ann }) => ({ id: ann.peer.uri('notes') })), changed(({ ann }) => ({ id: ann.uri }))];

const authors: Cell = [
  changed(({ ann }) => ({ attributedTo: ann.uri })),
  changed(({ ann, host: { eve } }) => ({ attributedTo: [eve.uri, ann.uri] })),
  changed(() => ({ attributedTo: 7 })),
];
const noAuthor = changed(() => ({ attributedTo: undefined }));
const itsOwnAuthor = 'an actor is its own author';

/**
 * Documents that claim the id of a status of somebody else on the same server. Under that id a document that is no
 * status would change nothing of it.
 */
const known: Cell = [
  changed(({ host, honest }) => ({ id: host.known.id, type: 'Note', content: honest.content ?? honest.name })),
  changed(
    ({
      host: {
        known: { id },
        mate,
      },
    }) => ({ id, attributedTo: mate.uri }),
  ),
];

/** Activities in the place of a status, with a whole status of the victim's. */
const activities: Cell = ['Create', 'Announce', 'Update', 'Add'].map((type) => ({ uri, ann, host, text }: At): Case => {
  const id = ann.peer.uri('notes');
  const object = { id, type: 'Note', attributedTo: ann.uri, content: text, to: [] };
  return { document: { id: uri, type, actor: host.eve.uri, object }, unknown: [id] };
});

/** Answers with other spellings of hosts, which only look like the address. */
const spelled: Cell = [
  changed(({ uri }) => ({ id: uri.replace('https://', 'https://x@') })),
  changed(({ uri, ann }) => ({ id: uri.replace('https://', `https://${ann.peer.host}@`) })),
  changed(({ uri, ann }) => ({ id: uri.replace('https://', `https://${ann.peer.host}%2f.`) })),
  changed(({ uri }) => ({ id: uri.replace('https:', 'http:') })),
  changed(({ ann }) => ({ id: `${ann.peer.url.replace('https://', 'https://x@')}/notes/1` })),
];

const TYPES = ['text/plain', 'application/json', 'image/png', 'text/html', 'application/ld+json; profile="https://x"'];
const typed = (types: readonly string[]): Cell =>
  types.map(
    (type) =>
      ({ honest }: At): Case => ({
        answer: { status: 200, headers: { 'content-type': type }, body: JSON.stringify(honest) },
      }),
  );

/** The victim's server redirects to that of an attacker, whose document has the address that was asked for. */
const redirected: Cell = [
  ({ text, honest, host }) => {
    const path = `/redirected/${text}`;
    host.world.other.answer(path, { status: 200, body: honest });
    return { answer: { status: 302, headers: { location: `${host.world.other.url}${path}` } } };
  },
];

const named = (subject: (at: At) => string | undefined, href: (at: At) => string): ((at: At) => Case) => {
  return (at) => {
    const told = subject(at);
    return { answer: { status: 200, ...jrdOf({ href: href(at), ...(told === undefined ? {} : { subject: told }) }) } };
  };
};
const own = ({ name = '', host: { peer } }: At) => `acct:${name}@${peer.host}`;
const itself = ({ uri }: At) => uri;
/** An actor of the victim's server that is not known here, with the name that an attacker gives it. */
const stranger = ({ name = '', host, text }: At) => host.world.stranger(name, text).uri;
const names: Cell = [
  named(({ name, ann }) => `acct:${name}@${ann.peer.host}`, itself),
  named(() => undefined, itself),
  named(({ name }) => `acct:${name}`, itself),
  named(({ name, host }) => `acct:${name}@x@${host.peer.host}`, itself),
  named(({ name, host }) => `https://${host.peer.host}/@${name}`, itself),
  ...['data:application/activity+json,{}', 'javascript:1', 'ftp://127.0.0.1/x', '', 'file:///etc/passwd'].map((href) =>
    named(own, () => href),
  ),
  named(own, stranger),
  named(own, ({ host }) => `${host.world.adaUri}`),
  ({ host, name }) => ({
    answer: { status: 302, headers: { location: `/.well-known/webfinger?resource=acct:${name}@${host.peer.host}` } },
    requests: (asked) => assert.ok(asked <= 4, `${asked} requests`),
  }),
];
/** An actor to which its own server's WebFinger does not lead. */
const unnamed: Cell = [
  ({ host, name = '', ann }) => {
    host.jrds.set(name, { status: 200, ...jrdOf({ subject: `acct:${name}@${host.peer.host}`, href: ann.uri }) });
    return {};
  },
  ({ host, name = '', uri, ann }) => {
    host.jrds.set(name, { status: 200, ...jrdOf({ subject: `acct:${name}@${ann.peer.host}`, href: uri }) });
    return {};
  },
];

export const originRows: readonly Row[] = [
  {
    name: 'id ≠ fetch URL',
    cells: {
      inbox: atInboxes('an activity whose id lies on another server has no effect, and that id can still be used'),
      ...all([...FETCHED, 'embedded'], otherId),
      ...all(['key'], FROM_OWNER),
      name: 'a WebFinger answer has a subject: see the row WebFinger',
      named: NO_TITLE,
      ...all(NO_DOCUMENTS, NO_TEXT),
    },
  },
  {
    name: 'key owner lies',
    cells: {
      inbox: atInboxes('a key counts only if it and its owner name each other'),
      actor: atInboxes('a key counts only if it and its owner name each other'),
      key: [
        changed(({ ann }) => ({ owner: ann.uri, id: ann.keyId })),
        changed(({ ann }) => ({ owner: ann.uri })),
        changed(({ host }) => ({ owner: host.mate.uri })),
        changed(() => ({ owner: 'javascript:1', id: 7 })),
      ],
      ...all(['embedded', 'named', 'status', 'collection', 'people', 'stamp', 'followers', 'name'], NO_KEY),
      ...all(NO_DOCUMENTS, NO_KEY),
    },
  },
  {
    name: 'key/actor redirect',
    cells: {
      inbox: atInboxes('a key counts only if it and its owner name each other'),
      ...all(FETCHED, redirected),
      ...all(['embedded', 'named'], 'it is not fetched'),
      key: FROM_OWNER,
      name: 'a domain may let another server answer for it; what the answer claims is in the row WebFinger',
      ...all(['file', 'page', 'domains'], 'its address is where somebody put it, and a redirect is part of that'),
    },
  },
  onlyAtInboxes('actor ≠ signer', 'an actor that is not the signer has no effect'),
  onlyAtInboxes(
    'activity id origin',
    'an activity whose id lies on another server has no effect, and that id can still be used',
  ),
  {
    name: 'foreign Update/Delete',
    cells: {
      inbox: atInboxes('only the actor undoes, answers and deletes'),
      named: atInboxes('only the actor undoes, answers and deletes'),
      ...all(['embedded', 'status'], known),
      ...all(['actor', 'collection', 'people', 'stamp', 'followers'], 'it is fetched by its id, which only it has'),
      ...all(['key', 'name'], FROM_OWNER),
      ...all(NO_DOCUMENTS, NO_TEXT),
    },
  },
  {
    name: 'Announce/embedded forged object',
    cells: {
      inbox: atInboxes('forged objects are not believed'),
      named: atInboxes('forged objects are not believed'),
      status: activities,
      embedded: activities,
      collection: [
        ({ honest, ann, text }) => {
          const id = ann.peer.uri('notes');
          const forged = { id, type: 'Note', attributedTo: ann.uri, content: text, to: [] };
          return {
            document: { ...honest, orderedItems: [forged, { type: 'Create', actor: ann.uri, object: forged }] },
            unknown: [id],
          };
        },
      ],
      ...all(['actor', 'people', 'stamp', 'followers', 'key', 'name'], 'no status is read from it'),
      ...all(NO_DOCUMENTS, NO_TEXT),
    },
  },
  {
    name: 'attribution',
    cells: {
      inbox: atInboxes('forged objects are not believed'),
      named: NO_TITLE,
      ...all(['status', 'embedded', 'people', 'stamp'], [...authors, noAuthor]),
      ...all(['collection', 'followers'], authors),
      actor: itsOwnAuthor,
      ...all(['key', 'name'], FROM_OWNER),
      ...all(NO_DOCUMENTS, NO_TEXT),
    },
  },
  {
    name: 'author change on known id',
    cells: {
      inbox: atInboxes('only the actor undoes, answers and deletes'),
      named: NO_TITLE,
      ...all(['embedded', 'status'], known),
      actor: itsOwnAuthor,
      ...all(
        ['collection', 'people', 'stamp', 'followers'],
        'it is read anew each time, and the row attribution holds',
      ),
      ...all(['key', 'name'], FROM_OWNER),
      ...all(NO_DOCUMENTS, NO_TEXT),
    },
  },
  {
    name: 'media-type confusion',
    cells: {
      inbox: { file: 'gateway/activitypub/inbox.test.ts', title: 'only ActivityStreams types are read' },
      ...all([...FETCHED, 'key'], typed(TYPES)),
      name: typed(['text/plain', 'text/html', 'image/png', 'application/activity+json']),
      ...all(['embedded', 'named'], 'it has no type apart from that of the request'),
      file: 'see the row media proxy',
      page: {
        file: 'transport/web/guarded-client.test.ts',
        title: 'a page that is too large, of another type, missing or without a web address gives nothing',
      },
      domains: 'its text is read as lines of domains, and each other line is skipped',
    },
  },
  onlyAtInboxes('signature coverage (cavage)', 'signatures that do not cover the request are refused'),
  onlyAtInboxes('RFC 9421', 'signatures of RFC 9421 that do not cover the request are refused'),
  onlyAtInboxes('replay', 'a request that is repeated, also after an Undo, has no effect'),
  onlyAtInboxes('key refetch', 'a key is fetched once in five minutes, however many signatures fail'),
  {
    name: 'two schemes',
    cells: {
      inbox: atInboxes('signatures that do not cover the request are refused'),
      ...all(['embedded', 'named'], WHOLE_ACTIVITY),
      ...all(
        [...FETCHED, 'key'],
        [
          () => ({ answer: { status: 401 }, requests: (asked) => assert.equal(asked, 2) }),
          () => ({ answer: { status: 403 }, requests: (asked) => assert.equal(asked, 2) }),
          () => ({ answer: { status: 500 } }),
        ],
      ),
      name: [() => ({ answer: { status: 401 }, requests: (asked) => assert.equal(asked, 1) })],
      ...all(NO_DOCUMENTS, 'it is fetched without a signature'),
    },
  },
  {
    name: 'domain normalisation',
    cells: {
      inbox: atInboxes('an activity whose id lies on another server has no effect, and that id can still be used'),
      ...all([...FETCHED, 'embedded'], spelled),
      named: NO_TITLE,
      key: [changed(({ host, ann }) => ({ owner: `https://${host.peer.host}@${ann.peer.host}/users/ann` }))],
      name: 'see the row WebFinger',
      ...all(NO_DOCUMENTS, NO_TEXT),
    },
  },
  {
    name: 'WebFinger',
    cells: {
      name: names,
      actor: unnamed,
      inbox: 'the signer is an entry of its own: an actor',
      ...all(
        ['embedded', 'named', 'status', 'collection', 'people', 'stamp', 'followers', 'key'],
        'its author is an entry of its own: an actor',
      ),
      ...all(['file', 'domains'], NO_TEXT),
      page: 'the author that it names is an entry of its own: a name',
    },
  },
];
