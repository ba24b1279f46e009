import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array | string) => Buffer.from(data).toString('base64url');

/** Bits of authenticator data. Source: Web Authentication Level 3, §6.1. */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;
/** COSE key of P-256 with ES256. Source: RFC 9053 §2.1, §7.1.1. */
const EC2_P256_ES256: readonly (readonly [number, number])[] = [
  [1, 2],
  [3, -7],
  [-1, 1],
];

/** Parts of an answer that an honest browser would not send. */
export interface Untrue {
  readonly origin?: string;
  readonly host?: string;
  readonly format?: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
}

/** An authenticator in software: makes one passkey with P-256, and signs with it. */
export class SoftPasskey {
  readonly id = base64url(randomBytes(16));
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private userHandle = '';
  private uses = 0;

  /** @param origin that of the page */
  constructor(private readonly origin: string) {}

  /** Answers creation options, as `PublicKeyCredential.toJSON` does. */
  create(options: { readonly challenge: string; readonly user: { readonly id: string } }, untrue: Untrue = {}): string {
    this.userHandle = options.user.id;
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const coordinates = [x, y].map((one) => Uint8Array.from(Buffer.from(one, 'base64url')));
    const key = new Map<number, number | Uint8Array>([
      ...EC2_P256_ES256,
      ...coordinates.map((bytes, index) => [-2 - index, bytes] as const),
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, isoCBOR.encode(key)]);
    const authData = Uint8Array.from(Buffer.concat([this.data(HAS_KEY, untrue), credential]));
    const attestation = new Map<string, unknown>([
      ['fmt', untrue.format ?? 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    const attestationObject = base64url(isoCBOR.encode(attestation as never));
    return this.answer({
      clientDataJSON: this.client('webauthn.create', options.challenge, untrue),
      attestationObject,
    });
  }

  /** Answers request options. */
  get({ challenge }: { readonly challenge: string }, untrue: Untrue = {}): string {
    this.uses++;
    const data = this.data(0, untrue);
    const clientDataJSON = this.client('webauthn.get', challenge, untrue);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const signature = base64url(createSign('sha256').update(signed).sign(this.keys.privateKey));
    return this.answer({ clientDataJSON, authenticatorData: base64url(data), signature, userHandle: this.userHandle });
  }

  private answer(response: object): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  private client(type: string, challenge: string, { origin = this.origin }: Untrue): string {
    return base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  private data(flags: number, { host = new URL(this.origin).hostname, isVerified = true, counter }: Untrue): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.uses);
    const bits = flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
    return Buffer.concat([sha256(host), Buffer.from([bits]), count]);
  }
}
