import { KeyedTokens } from '../../actors/domain/keyed-tokens.js';

/** Tokens of mailed links, of a secret that everybody may know. */
export const keyedTokens = new KeyedTokens(Buffer.alloc(32, 1));
