import type { Document, Peer, PeerAnswer, Received } from '../../../kit/federation/peer.js';
import type { Host } from './hostile-world.js';

/** The things that come in, by what may be wrong with them. */
export const KINDS = [
  /** A signed request. */
  'inbox',
  /** A new or changed object within an activity, which its signer has written. */
  'embedded',
  /** An object within an activity that only names something: what is undone, answered, or asked for. */
  'named',
  /** Documents that are fetched: statuses, actors, lists, collections of people, stamps and parts of followers. */
  'status',
  'actor',
  'collection',
  'people',
  'stamp',
  'followers',
  /** A key with an address of its own. */
  'key',
  /** A WebFinger answer. */
  'name',
  /** A picture, film or sound. */
  'file',
  /** A web page. */
  'page',
  /** A list of domains that an operator subscribes to. */
  'domains',
] as const;
export type Kind = (typeof KINDS)[number];

/** One document on its way in, at an address of its own. */
export interface Arrival {
  /** Its address, on the hostile server unless it is embedded. */
  readonly uri: string;
  /** The document of an honest server. */
  readonly honest: Document;
  /** The answer of an honest server, if it is no document of ActivityStreams. */
  readonly answer?: PeerAnswer;
  /** Name of the account that it belongs to, for actors and names. */
  readonly name?: string;
  /** Sets the answer at its address. Default: by the path. */
  serve?(answer: PeerAnswer | ((request: Received) => PeerAnswer)): void;
  /** Number of requests for it. Default: by the path. Undefined: it is not fetched. */
  asked?(): number | undefined;
  /** Makes the server take it. Resolves when it is asked for, or has been answered. @param document the embedded one */
  bring(document: Document): Promise<void>;
  /** Returns what people see of it; undefined if it has no effect. @param document as it was served or embedded */
  shown(document: Document): Promise<Document | undefined>;
}

/** One way by which documents of other servers come in. */
export interface Entry {
  readonly name: string;
  readonly kind: Kind;
  /** The functions that take the document, as the test `entries` lists them. */
  readonly by: readonly string[];
  /** Absent for entries that other tests run: see the table. @param text words that show whether it has an effect */
  readonly open?: (host: Host, text: string) => Arrival | Promise<Arrival>;
}

/** Media types of documents and of WebFinger answers. */
export const ACTIVITY = 'application/activity+json';
export const JRD = 'application/jrd+json';

export const pathOf = (uri: string): string => new URL(uri).pathname;

/** Returns the number of requests for an address. */
export const askedAt = (peer: Peer, uri: string): number => peer.asked(pathOf(uri)).length;
