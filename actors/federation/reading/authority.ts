import { canonicalUri, isSameOrigin, originOf } from './uris.js';
import { asList, idOf, isObject, type JsonObject, objectOf, typeAmong } from './values.js';

/** Types of actors. Source: Activity Vocabulary §3.2. */
export const ACTOR_TYPES: ReadonlySet<string> = new Set(['Person', 'Service', 'Application', 'Group', 'Organization']);

/** Collections name no author. */
const COLLECTIONS: ReadonlySet<string> = new Set([
  'Collection',
  'OrderedCollection',
  'CollectionPage',
  'OrderedCollectionPage',
]);

/** Authors of one object that are compared. An object with more of them is refused. */
const AUTHORS_MAX = 20;

/** The proof that comes with a document. Exactly one of `signer` and `finalUrl` is present. */
export interface Proof {
  /** Address of the actor whose key signed the request that carried the document. */
  readonly signer?: string;
  /** Address, after redirects, from which the document was fetched. */
  readonly finalUrl?: string;
  /** The document's id must be exactly this one: for actors, and for whatever was fetched by its id. */
  readonly expected?: string;
}

/** A document that may be believed, except for the objects of others in it. All addresses are canonical. */
export interface Allowed {
  /** Absent for an activity without an id. */
  readonly id: string | undefined;
  /** The signer; the one author or first of several; the actor itself. Absent for a collection without one. */
  readonly author: string | undefined;
  /** Address of its `object`, if it has one. */
  readonly objectId: string | undefined;
  /**
   * The embedded `object`, if its author is the author of the document: it may be believed. Objects of others must be
   * fetched from their origin by `objectId`.
   */
  readonly object: JsonObject | undefined;
  /** The page of the object, if it has the author's origin. */
  readonly url: string | undefined;
}

/** `fetchAt`: the document may be fetched, once, at this address, which is its id. */
export interface Refused {
  readonly refused: string;
  readonly fetchAt?: string;
}

export const isRefused = (verdict: Allowed | Refused): verdict is Refused => 'refused' in verdict;

/**
 * Decides whether to believe a document of another server. Every entry asks it: inboxes, resolve, threads, pins,
 * Announce, quotes, Move, relays. Pure. The caller has verified the signature, or fetched the document itself.
 */
export function authority(document: JsonObject, proof: Proof): Allowed | Refused {
  const { signer, finalUrl } = proof;
  if ((signer === undefined) === (finalUrl === undefined)) return { refused: 'no proof of origin' };
  const id = document.id === undefined || document.id === null ? undefined : idOf(document.id);
  if (id === undefined && document.id !== undefined && document.id !== null) return { refused: 'invalid id' };
  return signer === undefined ? ofFetched(document, id, proof) : ofSigned(document, id, signer);
}

/** Decides on an activity that its actor signed. */
function ofSigned(activity: JsonObject, id: string | undefined, signedBy: string): Allowed | Refused {
  const signer = canonicalUri(signedBy);
  if (signer === undefined) return { refused: 'invalid signer' };
  if (idOf(activity.actor) !== signer) return { refused: 'the actor is not the signer' };
  if (id !== undefined && !isSameOrigin(id, signer)) return { refused: 'the id is on another server than its actor' };
  return allowed(activity, id, signer);
}

/** Decides on a document that this server fetched. */
function ofFetched(document: JsonObject, id: string | undefined, { finalUrl, expected }: Proof): Allowed | Refused {
  if (id === undefined) return { refused: 'no id' };
  if (expected !== undefined && id !== canonicalUri(expected)) return { refused: 'another id than requested' };
  if (!isSameOrigin(id, finalUrl)) return { refused: 'the id is on another server', fetchAt: id };
  if (typeAmong(document, ACTOR_TYPES) !== undefined) return allowed(document, id, id);
  const authors = authorsOf(document);
  if (authors === undefined) return { refused: 'invalid author' };
  if (authors.length === 0 && typeAmong(document, COLLECTIONS) === undefined) return { refused: 'no author' };
  if (!authors.every((author) => isSameOrigin(author, id))) return { refused: 'an author of another server' };
  return allowed(document, id, authors[0]);
}

function allowed(document: JsonObject, id: string | undefined, author: string | undefined): Allowed {
  const embedded = objectOf(document.object);
  const isBelieved = embedded !== undefined && author !== undefined && isBy(embedded, author);
  return {
    id,
    author,
    objectId: idOf(document.object),
    object: isBelieved ? embedded : undefined,
    url: pageOf(document.url, author ?? id),
  };
}

/**
 * Returns true if an embedded object is the sender's own: its id has the sender's origin, and it is attributed to the
 * sender, alone or with others of that origin. An actor is its own; an activity is its actor's.
 */
export function isBy(object: JsonObject, sender: string): boolean {
  const author = canonicalUri(sender);
  const id = idOf(object);
  if (author === undefined || originOf(author) === undefined) return false;
  if (object.id !== undefined && object.id !== null && !isSameOrigin(id, author)) return false;
  if (typeAmong(object, ACTOR_TYPES) !== undefined) return id === author;
  const authors = authorsOf(object);
  if (authors === undefined || !authors.includes(author)) return false;
  return authors.every((one) => isSameOrigin(one, author));
}

/**
 * Returns the authors of an object in canonical spelling, its actors before those to whom it is attributed. Undefined:
 * one is no address, or there are too many.
 */
function authorsOf({ actor, attributedTo }: JsonObject): readonly string[] | undefined {
  const given = [...asList(actor, AUTHORS_MAX + 1), ...asList(attributedTo, AUTHORS_MAX + 1)];
  if (given.length > AUTHORS_MAX) return undefined;
  const authors = given.map(idOf);
  return authors.every((one): one is string => one !== undefined) ? authors : undefined;
}

/** Returns the first address of a property `url` that has the origin of its author; HTML pages come first. */
export function pageOf(url: unknown, author: string | undefined): string | undefined {
  const links = asList(url).map((one) => (isObject(one) ? one : { href: one }));
  const pages = links.filter(({ mediaType }: JsonObject) => mediaType === 'text/html');
  for (const { href } of [...pages, ...links] as readonly JsonObject[]) {
    const address = typeof href === 'string' ? canonicalUri(href) : undefined;
    if (address !== undefined && isSameOrigin(address, author)) return address;
  }
  return undefined;
}

/** A public key of an actor. */
export interface ActorKey {
  readonly id: string;
  readonly pem: string;
}

/** Keys of one actor that are read, and the longest of them: RSA of 8,192 bits. */
const KEYS_MAX = 5;
const PEM_CHARS_MAX = 4_000;

/**
 * Returns the keys of an actor that name it as their owner and lie on its origin. A key counts only if both name each
 * other, so that nobody can lend the name of another actor to a key.
 */
export function keysOf(actor: JsonObject): readonly ActorKey[] {
  const owner = idOf(actor);
  if (owner === undefined) return [];
  return asList(actor.publicKey, KEYS_MAX).flatMap((one) => {
    if (!isObject(one) || typeof one.publicKeyPem !== 'string' || one.publicKeyPem.length > PEM_CHARS_MAX) return [];
    const id = idOf(one.id);
    return id !== undefined && idOf(one.owner) === owner && isSameOrigin(id, owner)
      ? [{ id, pem: one.publicKeyPem }]
      : [];
  });
}
