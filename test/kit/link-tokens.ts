import { LinkTokens } from '../../actors/domain/link-tokens.js';

/** Tokens of mailed links, of a secret that everybody may know. */
export const linkTokens = new LinkTokens(Buffer.alloc(32, 1));
