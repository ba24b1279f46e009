import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { NoAnswer } from './client.js';

/** Sizes in a message (RFC 8188 §2.1): salt, size of a record, size of the sender's key; then the key; a tag ends it. */
const SALT_BYTES = 16;
const HEADER_BYTES = 21;
const TAG_BYTES = 16;

/** The key pair and secret of a push subscription. */
export class PushKeys {
  readonly #pair = createECDH('prime256v1');
  readonly #point = this.#pair.generateKeys();
  readonly #secret = randomBytes(16);

  /** The `keys` of a subscription. */
  get public(): { readonly p256dh: string; readonly auth: string } {
    return { p256dh: this.#point.toString('base64url'), auth: this.#secret.toString('base64url') };
  }

  /** Decrypts a message in the encoding aes128gcm (RFC 8291 §3.4). @throws NoAnswer when it is not for these keys */
  decrypt(body: Buffer): string {
    try {
      const salt = body.subarray(0, SALT_BYTES);
      const sender = body.subarray(HEADER_BYTES, HEADER_BYTES + body.readUInt8(HEADER_BYTES - 1));
      const sealed = body.subarray(HEADER_BYTES + sender.length);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#point, sender]);
      const key = derived(this.#pair.computeSecret(sender), this.#secret, info, 32);
      const cipher = createDecipheriv(
        'aes-128-gcm',
        derived(key, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
        derived(key, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
      );
      cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const plain = Buffer.concat([cipher.update(sealed.subarray(0, -TAG_BYTES)), cipher.final()]);
      // A delimiter and zeros follow the text.
      return plain.toString('utf8', 0, plain.lastIndexOf(2));
    } catch (error) {
      throw new NoAnswer('a push message that cannot be decrypted', { cause: error });
    }
  }
}

const derived = (key: Buffer, salt: Buffer, info: Buffer, bytes: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, info, bytes));
