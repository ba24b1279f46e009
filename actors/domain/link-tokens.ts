import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Purpose of a mailed link. A token for one purpose is invalid for the other. */
export type LinkPurpose = 'confirmation' | 'reset';

/** An account's id and the random text that its actor records when a link is to be mailed. */
export interface MailedLink {
  readonly account: string;
  readonly nonce: string;
}

/** Random bytes of a nonce: no two links of one account have the same. */
export const NONCE_BYTES = 16;
/** HKDF's label: the same secret gives another key for every other use. */
const KEY_LABEL = 'murmuration: tokens of mailed links';
const KEY_BYTES = 32;
/** `account.nonce.mac`: an id, a nonce and a SHA-256, the last two in base64url. */
const FORM = /^(\d{1,18})\.([\w-]{22})\.([\w-]{43})$/;

/**
 * Makes and checks the tokens in mailed links. A token is an HMAC-SHA256 over its purpose, account and nonce. Journals
 * and rows hold the nonce only, so whoever reads the store without the key cannot make the token.
 */
export class LinkTokens {
  readonly #key: Uint8Array;

  /** @param secret at least 32 random bytes, or a text that is as hard to guess */
  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', KEY_LABEL, KEY_BYTES));
  }

  /** Returns the token; all its characters may stand in a query unescaped. */
  make(purpose: LinkPurpose, { account, nonce }: MailedLink): string {
    return `${account}.${nonce}.${this.#mac(purpose, account, nonce).toString('base64url')}`;
  }

  /** Returns the link of a token, undefined unless this key made it for this purpose. */
  read(purpose: LinkPurpose, token: string): MailedLink | undefined {
    const [, account, nonce, mac] = FORM.exec(token) ?? [];
    if (account === undefined || nonce === undefined || mac === undefined) return undefined;
    const isOurs = timingSafeEqual(Buffer.from(mac, 'base64url'), this.#mac(purpose, account, nonce));
    return isOurs ? { account, nonce } : undefined;
  }

  #mac(purpose: LinkPurpose, account: string, nonce: string): Buffer {
    return createHmac('sha256', this.#key).update([purpose, account, nonce].join('\0')).digest();
  }
}
