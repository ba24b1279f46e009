/** The facts that a stamp states. Addresses are canonical. */
export interface Stamped {
  /** Address of the stamp. */
  readonly uri: string;
  readonly quotedAuthor: string;
  readonly quoting: string;
  readonly quoted: string;
}

/** Renders a stamp, by which the author of a status permits a quote. Source: FEP-044f, QuoteAuthorization. */
export const stampDocument = ({ uri, quotedAuthor, quoting, quoted }: Stamped) => ({
  id: uri,
  type: 'QuoteAuthorization',
  attributedTo: quotedAuthor,
  interactingObject: quoting,
  interactionTarget: quoted,
});
