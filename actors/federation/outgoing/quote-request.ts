/** Last part of the id of a request to quote; the address of the quoting status precedes it. */
const SUFFIX = '#quote-request';

/**
 * Renders the request of a local account to quote another server's status. `instrument`: the quoting status, or its
 * address. Source: FEP-044f, QuoteRequest.
 */
export const quoteRequestActivity = (actor: string, object: string, instrument: { readonly id: string } | string) => ({
  id: `${typeof instrument === 'string' ? instrument : instrument.id}${SUFFIX}`,
  type: 'QuoteRequest',
  actor,
  object,
  instrument,
});

/** Returns the address of the quoting status that a request names by its id; undefined for other ids. */
export const quotingIn = (id: string): string | undefined =>
  id.endsWith(SUFFIX) ? id.slice(0, -SUFFIX.length) : undefined;

/** A request of another server to quote a local status. */
export interface ReceivedRequest {
  /** Address of the local author, and of the account that asks. */
  readonly author: string;
  readonly by: string;
  readonly quoted: string;
  readonly quoting: string;
  /** Id of the quoting status here. */
  readonly quotingId: string;
  /** Id of the activity; empty if it had none. */
  readonly requestId: string;
}

/** Renders the QuoteRequest to which an answer refers. */
export const receivedRequest = ({ by, quoted, quoting, requestId }: ReceivedRequest) => ({
  ...(requestId === '' ? {} : { id: requestId }),
  type: 'QuoteRequest',
  actor: by,
  object: quoted,
  instrument: quoting,
});
