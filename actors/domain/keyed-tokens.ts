import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Purpose of a token, which is invalid for the others: links in mails, the cookie of a browser in which somebody has
 * signed in to the account, access tokens, a second factor that is being set up, the proof of a password that waits
 * for the second factor, challenges to passkeys, and invitations.
 */
export type TokenPurpose =
  | 'confirmation'
  | 'reset'
  | 'email'
  | 'unsubscribe'
  | 'browser'
  | 'access'
  | 'otp'
  | 'ticket'
  | 'passkey'
  | 'invite';

/** An account's id and the random text that tells tokens of one account and purpose apart. */
export interface TokenContent {
  readonly account: string;
  readonly nonce: string;
}

/** Random bytes of a nonce: no two tokens of one account have the same. */
export const NONCE_BYTES = 16;
/** 64 bits: an account has few such texts. */
const PSEUDONYM_BYTES = 8;
/** 160 bits. Source: RFC 4226 §4, R6. */
const OTP_SECRET_BYTES = 20;
/** Label for HKDF: the same secret yields another key for every other use. */
const KEY_LABEL = 'murmuration: keyed tokens';
const KEY_BYTES = 32;
/** `account.nonce.mac`: an id, a nonce and a SHA-256, the last two in base64url. */
const FORM = /^(\d{1,18})\.([\w-]{22})\.([\w-]{43})$/;

/**
 * Makes and checks tokens that name an account: its id, a nonce, and an HMAC-SHA256 over purpose, id and nonce. The
 * store contains at most the nonce, so a reader of the store without the key cannot make the token.
 */
export class KeyedTokens {
  readonly #key: Uint8Array;

  /** @param secret at least 32 random bytes, or a text that is as hard to guess */
  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', KEY_LABEL, KEY_BYTES));
  }

  /** Returns the token; all its characters may stand in a query or cookie unescaped. */
  make(purpose: TokenPurpose, { account, nonce }: TokenContent): string {
    return `${account}.${nonce}.${this.#mac(purpose, account, nonce).toString('base64url')}`;
  }

  /** Returns the content of a token, undefined unless this key made it for this purpose. */
  read(purpose: TokenPurpose, token: string): TokenContent | undefined {
    const [, account, nonce, mac] = FORM.exec(token) ?? [];
    if (account === undefined || nonce === undefined || mac === undefined) return undefined;
    const isOurs = timingSafeEqual(Buffer.from(mac, 'base64url'), this.#mac(purpose, account, nonce));
    return isOurs ? { account, nonce } : undefined;
  }

  /**
   * Returns a pseudonym of a text within an account: equal for equal texts, and nobody without the key finds the text by
   * trying all there are, such as all IP addresses.
   */
  pseudonym(account: string, text: string): string {
    return this.#mac('pseudonym', account, text).subarray(0, PSEUDONYM_BYTES).toString('base64url');
  }

  /** Returns the secret of a second factor. The store holds the nonce alone. */
  otpSecret({ account, nonce }: TokenContent): Uint8Array {
    return new Uint8Array(this.#mac('otp secret', account, nonce).subarray(0, OTP_SECRET_BYTES));
  }

  #mac(purpose: TokenPurpose | 'pseudonym' | 'otp secret', account: string, nonce: string): Buffer {
    return createHmac('sha256', this.#key).update([purpose, account, nonce].join('\0')).digest();
  }
}
