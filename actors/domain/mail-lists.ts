import { createHash } from 'node:crypto';
import { NONCE_BYTES } from './keyed-tokens.js';

/** Kinds of mails that a recipient may end. Mails about the security of the account are none of them. */
export const MAIL_LISTS = ['reports'] as const;
export type MailList = (typeof MAIL_LISTS)[number];

export const isMailList = (text: string): text is MailList => (MAIL_LISTS as readonly string[]).includes(text);

/** Returns the nonce of the token that ends a list: always the same, so that links in old mails work. */
export const listNonce = (list: string): string =>
  createHash('sha256').update(list).digest().subarray(0, NONCE_BYTES).toString('base64url');
