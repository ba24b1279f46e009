/** `cavage`: draft-cavage-http-signatures-12. `rfc9421`: HTTP Message Signatures. */
export type SignatureScheme = 'cavage' | 'rfc9421';

/** An incoming request as received. */
export interface SignedRequest {
  readonly method: string;
  /** Raw request target (path and query) as received. */
  readonly target: string;
  /** Host of this server's addresses, with its port: that of BASE_URL. A signature for another host fails. */
  readonly host: string;
  /** Scheme of BASE_URL. Default: https. */
  readonly protocol?: 'https' | 'http';
  /** Lower-case names; repeated headers joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** The key that a signature names, or the reason why the request has no usable signature. */
export type ParsedSignature =
  | { readonly keyId: string; readonly scheme: SignatureScheme; readonly signature: Uint8Array }
  | { readonly problem: string };
