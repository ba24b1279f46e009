import type { StoreStatusRecord } from '../../proto/gen/types.js';
import type { FilterMatch } from './filters.js';

/** Mark of a judged status, for the compiler only. */
declare const judged: unique symbol;

/** A status that its viewer may see. Only judge.ts creates it, and renderers accept nothing else. */
export interface VisibleStatus {
  readonly [judged]: true;
  readonly record: StoreStatusRecord;
  /** The reblogged status, visible too. */
  readonly original: StoreStatusRecord | undefined;
  /** The viewer's filters that match the status; undefined if there are none. */
  readonly filtered: readonly FilterMatch[] | undefined;
  /** The quote of the status, or of the status that it reblogs, as the viewer may see it; undefined if there is none. */
  readonly quote: SeenQuote | undefined;
}

/** The quote of a status, as its viewer may see it. */
export interface SeenQuote {
  /** State in the words of the REST API. */
  readonly state: string;
  /** Undefined if nothing is shown to the viewer. Its own quote is rendered with state and id only. */
  readonly quoted: VisibleStatus | undefined;
}
