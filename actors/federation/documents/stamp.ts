/** A stamp: its author permits that an object of somebody else refers to what is the author's. Addresses are canonical. */
export interface StampDocument {
  readonly id: string;
  readonly type: 'QuoteAuthorization' | 'FeatureAuthorization';
  readonly attributedTo: string;
  readonly interactingObject: string;
  readonly interactionTarget: string;
}

/** The facts that the stamp of a quote states. Addresses are canonical. */
export interface Stamped {
  /** Address of the stamp. */
  readonly uri: string;
  readonly quotedAuthor: string;
  readonly quoting: string;
  readonly quoted: string;
}

/** The facts that a stamp of a featured account states. Addresses are canonical. */
export interface StampedFeature {
  /** Address of the stamp. */
  readonly uri: string;
  readonly featured: string;
  readonly collection: string;
}

/** Renders a stamp, by which an account permits its place in a collection. Source: FEP-7aa9, FeatureAuthorization. */
export const featureStampDocument = ({ uri, featured, collection }: StampedFeature): StampDocument => ({
  id: uri,
  type: 'FeatureAuthorization',
  attributedTo: featured,
  interactingObject: collection,
  interactionTarget: featured,
});

/** Renders a stamp, by which the author of a status permits a quote. Source: FEP-044f, QuoteAuthorization. */
export const stampDocument = ({ uri, quotedAuthor, quoting, quoted }: Stamped): StampDocument => ({
  id: uri,
  type: 'QuoteAuthorization',
  attributedTo: quotedAuthor,
  interactingObject: quoting,
  interactionTarget: quoted,
});
