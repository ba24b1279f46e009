import { KeyedTokens } from '../../actors/domain/keyed-tokens.js';

/** Tokens of mailed links, made with a public secret. */
export const keyedTokens = new KeyedTokens(Buffer.alloc(32, 1));
