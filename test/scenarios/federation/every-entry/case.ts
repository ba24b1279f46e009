import type { Document, PeerActor, PeerAnswer, Received } from '../../../kit/federation/peer.js';
import type { Arrival, Kind } from './entry.js';
import type { Host } from './hostile-world.js';

/** An arrival on a hostile server, with the words that it must not show. */
export interface At extends Arrival {
  readonly host: Host;
  readonly text: string;
  /** The victim, on another server. */
  readonly ann: PeerActor;
}

/** One hostile document on its way in. */
export interface Case {
  /** As it is served, or embedded. Default: the honest one. */
  readonly document?: Document;
  /** The answer instead of the document. */
  readonly answer?: PeerAnswer | ((request: Received) => PeerAnswer);
  /** Checks the part that people see. Absent: it must have no effect. */
  readonly shows?: (shown: Document) => void;
  /** Further addresses at which nothing may be known afterwards. */
  readonly unknown?: readonly string[];
  /** Checks the requests that the hostile server got. */
  readonly requests?: (asked: number, received: readonly Received[]) => void;
}

/** A test elsewhere that runs the row at an entry: its file below `test`, and its title. */
export interface Elsewhere {
  readonly file: string;
  readonly title: string;
}

/** The reason why a row cannot apply, the test that runs it, or the cases to run. */
export type Cell = string | Elsewhere | readonly ((at: At) => Case)[];

/** One attack, for each kind of entry. */
export interface Row {
  readonly name: string;
  readonly cells: Readonly<Record<Kind, Cell>>;
  /** True: its cases come from a suspended server. */
  readonly isSuspended?: boolean;
}

/** Returns the same cell for several kinds. */
export const all = <K extends Kind>(kinds: readonly K[], cell: Cell): Record<K, Cell> =>
  Object.fromEntries(kinds.map((kind) => [kind, cell])) as Record<K, Cell>;

/** Kinds of documents that are fetched by their address. */
export const FETCHED = ['status', 'actor', 'collection', 'people', 'stamp', 'followers'] as const;
/** Kinds that are no documents of ActivityStreams. */
export const NO_DOCUMENTS = ['file', 'page', 'domains'] as const;

/** Tests of signed requests, which run each attack at the shared inbox, a personal one and that of the instance. */
export const atInboxes = (title: string): Elsewhere => ({ file: 'scenarios/federation/hostile.test.ts', title });

/** Returns an answer of a media type, whatever its text is. */
export const asText = (body: string, type: string): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': type },
  body,
});
