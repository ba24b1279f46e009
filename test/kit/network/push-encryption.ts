import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The side of a client: its key pair and secret. Independent of the library that encrypts. */
export class PushKeys {
  private readonly pair: ECDH = createECDH('prime256v1');
  private readonly secret = randomBytes(16);

  constructor() {
    this.pair.generateKeys();
  }

  /** The `keys` of a subscription. */
  get public(): { readonly p256dh: string; readonly auth: string } {
    return { p256dh: this.pair.getPublicKey('base64url'), auth: this.secret.toString('base64url') };
  }

  /** Decrypts a message of either encoding. @throws when it was not made for these keys */
  decrypt(body: Buffer, headers: IncomingHttpHeaders): string {
    if (headers['content-encoding'] === 'aes128gcm') return this.aes128gcm(body);
    if (headers['content-encoding'] === 'aesgcm') return this.aesgcm(body, headers);
    throw new Error(`unknown encoding ${headers['content-encoding']}`);
  }

  /** RFC 8188 §2, RFC 8291 §3.4. */
  private aes128gcm(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const recordBytes = body.readUInt32BE(16);
    const sender = body.subarray(21, 21 + body.readUInt8(20));
    const record = body.subarray(21 + sender.length);
    if (record.length > recordBytes) throw new Error('more than one record');
    const info = [Buffer.from('WebPush: info\0'), this.pair.getPublicKey(), sender];
    const key = derive(this.pair.computeSecret(sender), this.secret, Buffer.concat(info), 32);
    const plain = open(
      derive(key, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
      derive(key, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
      record,
    );
    // The delimiter of the last record, before zeros.
    const end = plain.lastIndexOf(2);
    if (end < 0 || plain.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('bad padding');
    return plain.toString('utf8', 0, end);
  }

  /** draft-ietf-webpush-encryption-04, draft-ietf-httpbis-encryption-encoding-03. */
  private aesgcm(body: Buffer, headers: IncomingHttpHeaders): string {
    const salt = parameter(headers.encryption, 'salt');
    const sender = parameter(headers['crypto-key'], 'dh');
    const context = Buffer.concat([Buffer.from('P-256\0'), sized(this.pair.getPublicKey()), sized(sender)]);
    const auth = Buffer.from('Content-Encoding: auth\0');
    const key = derive(this.pair.computeSecret(sender), this.secret, auth, 32);
    const plain = open(
      derive(key, salt, Buffer.concat([Buffer.from('Content-Encoding: aesgcm\0'), context]), 16),
      derive(key, salt, Buffer.concat([Buffer.from('Content-Encoding: nonce\0'), context]), 12),
      body,
    );
    return plain.toString('utf8', 2 + plain.readUInt16BE(0));
  }
}

const derive = (key: Buffer, salt: Buffer, info: Buffer, bytes: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, info, bytes));

function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer {
  const cipher = createDecipheriv('aes-128-gcm', key, nonce);
  cipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
}

function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Returns a parameter of a header like `dh=…;p256ecdsa=…`. */
function parameter(header: string | string[] | undefined, name: string): Buffer {
  const found = String(header ?? '')
    .split(/[;,]/)
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name}=`));
  if (found === undefined) throw new Error(`no ${name} in ${header}`);
  return Buffer.from(found.slice(name.length + 1), 'base64url');
}

/** Claims of a verified token. */
export interface Vapid {
  /** The key that signed it, base64url. */
  readonly key: string;
  readonly audience: string;
  readonly expiresAtS: number;
  readonly subject: string;
}

/** Longest lifetime of a token (RFC 8292 §2). */
const LIFETIME_S_MAX = 86_400;

/**
 * Verifies the identification of a sender (RFC 8292, or the older draft).
 * @param audience the origin of this push service
 * @throws Error with the reason when a push service would refuse it
 */
export function verifyVapid(headers: IncomingHttpHeaders, audience: string, nowS = Date.now() / 1_000): Vapid {
  const { token, key } = identification(headers);
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString());
  if (alg !== 'ES256') throw new Error(`algorithm ${alg}`);
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, 'base64url')))
    throw new Error('bad signature');
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  if (aud !== audience) throw new Error(`audience ${aud}, not ${audience}`);
  if (!(exp > nowS && exp <= nowS + LIFETIME_S_MAX)) throw new Error(`expires at ${exp}, it is ${nowS}`);
  if (!/^(mailto:.+@|https:\/\/)/.test(sub)) throw new Error(`subject ${sub}`);
  return { key, audience: aud, expiresAtS: exp, subject: sub };
}

function identification(headers: IncomingHttpHeaders): { token: string; key: string } {
  const { authorization = '' } = headers;
  const vapid = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization);
  if (vapid !== null) return { token: vapid[1] ?? '', key: vapid[2] ?? '' };
  const draft = /^WebPush ([\w.-]+)$/.exec(authorization);
  if (draft === null) throw new Error(`authorization ${authorization}`);
  return { token: draft[1] ?? '', key: parameter(headers['crypto-key'], 'p256ecdsa').toString('base64url') };
}
