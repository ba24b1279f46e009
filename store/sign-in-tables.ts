import { codec } from '../proto/codec.js';
import { table } from './table.js';

/**
 * The last use of a token, to the hour (actors/token-uses.ts). A row that the revocation left behind, because a node wrote
 * it at the same moment, ends by itself.
 */
export const tokenUses = table('token_uses', {
  partition: { hash: 'text' },
  clustering: {},
  value: codec('murmuration.store.TokenUse'),
  ttlSeconds: 400 * 86_400,
});

/**
 * Access tokens of people, by the application for which they were issued: the deletion of an application finds them here.
 * A row whose token was revoked does no harm.
 */
export const clientTokens = table('client_tokens', {
  partition: { client: 'text' },
  clustering: { account: 'id', hash: 'text' },
  value: codec('murmuration.store.Indexed'),
});

export const signInTables = [tokenUses, clientTokens] as const;
