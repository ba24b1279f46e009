import { createHash } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { AccountPasskey, StoreAccountRecord } from '../../../proto/gen/types.js';
import type { Services } from '../../http/services.js';
import { timedNonce, timeOf } from './timed-nonce.js';

/** Longest answer of a browser: keys and signatures of RSA take some 2 KB. */
export const ANSWER_CHARS_MAX = 16_000;
/** Time to find the security key or to open the telephone. */
const CHALLENGE_LIFETIME_MS = 600_000;
/** Account of a challenge to somebody whose account is not known yet. */
const NOBODY = '0';
/** Signatures that every authenticator offers one of: EdDSA, ES256, RS256. Source: IANA COSE Algorithms. */
const ALGORITHMS = [-8, -7, -257];

type Keys = Pick<Services, 'keyedTokens' | 'clock' | 'instance'>;

/** A passkey that a browser has made. */
export interface NewPasskey {
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
}

/** The library, loaded when somebody uses a passkey. */
const library = async () => ({
  ...(await import('@simplewebauthn/server')),
  ...(await import('@simplewebauthn/server/helpers')),
});

/** Binds a challenge to a cookie that others cannot read. */
const mark = (secret: string) => createHash('sha256').update(`passkey:${secret}`).digest();

/** Returns a challenge for the browser that has the secret cookie; it is good for ten minutes. */
function challengeFor({ keyedTokens, clock }: Keys, account: string, secret: string): string {
  const token = keyedTokens.make('passkey', { account, nonce: timedNonce(clock.nowMs(), mark(secret)) });
  return Buffer.from(token).toString('base64url');
}

/** Returns the time of a challenge, undefined unless this browser got it for this account and it is fresh. */
function timeOfChallenge({ keyedTokens, clock }: Keys, account: string, secret: string, challenge: string) {
  const content = keyedTokens.read('passkey', Buffer.from(challenge, 'base64url').toString('latin1'));
  if (content?.account !== account) return undefined;
  const atMs = timeOf(content.nonce);
  const isFresh = clock.nowMs() - atMs < CHALLENGE_LIFETIME_MS;
  return isFresh && content.nonce === timedNonce(atMs, mark(secret)) ? atMs : undefined;
}

const hostOf = ({ instance }: Keys) => new URL(instance.baseUrl).hostname;

/** The origin and the host that every answer must name, and the demand that the device has recognised its owner. */
const expected = (services: Keys) => ({
  expectedOrigin: new URL(services.instance.baseUrl).origin,
  expectedRPID: hostOf(services),
  requireUserVerification: true,
});

/** Returns what a browser needs to make a passkey. Source: Web Authentication Level 3, §5.1.8. */
export function creationOptions(
  services: Keys,
  { id, username }: Pick<StoreAccountRecord, 'id' | 'username'>,
  secret: string,
  known: readonly AccountPasskey[],
): PublicKeyCredentialCreationOptionsJSON {
  const { domain } = services.instance;
  const name = `${username}@${domain}`;
  return {
    rp: { id: hostOf(services), name: domain },
    user: { id: Buffer.from(id).toString('base64url'), name, displayName: name },
    challenge: challengeFor(services, id, secret),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known.map((one) => ({ type: 'public-key', id: one.id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
    timeout: CHALLENGE_LIFETIME_MS,
  };
}

/** Returns what a browser needs to sign in with a passkey. Source: Web Authentication Level 3, §5.1.9. */
export const requestOptions = (services: Keys, secret: string): PublicKeyCredentialRequestOptionsJSON => ({
  challenge: challengeFor(services, NOBODY, secret),
  rpId: hostOf(services),
  userVerification: 'required',
  timeout: CHALLENGE_LIFETIME_MS,
});

/** Returns the passkey that a browser has made; undefined if the answer is not valid. */
export async function newPasskey(
  services: Keys,
  account: string,
  secret: string,
  answer: string,
): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse, decodeAttestationObject, isoBase64URL } = await library();
  try {
    const response = JSON.parse(answer) as RegistrationResponseJSON;
    // The library fetches addresses that certificates of other formats name. Browsers send `none`, as asked.
    const attestation = isoBase64URL.toBuffer(response.response.attestationObject);
    if (decodeAttestationObject(attestation).get('fmt') !== 'none') return undefined;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => timeOfChallenge(services, account, secret, challenge) !== undefined,
      ...expected(services),
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { id, publicKey: isoBase64URL.fromBuffer(publicKey), counter };
  } catch {
    return undefined;
  }
}

/** An answer to a sign-in: the account and the passkey that it names. Its signature is not verified yet. */
export interface Claim {
  readonly account: string;
  readonly passkey: string;
  readonly response: AuthenticationResponseJSON;
}

/** Reads an answer to a sign-in; undefined if it names no account. */
export function claimOf(answer: string): Claim | undefined {
  try {
    const response = JSON.parse(answer) as AuthenticationResponseJSON;
    const account = Buffer.from(String(response.response.userHandle), 'base64url').toString('latin1');
    return /^\d{1,18}$/.test(account) ? { account, passkey: String(response.id), response } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the counter of the key and the time of the challenge; undefined if the signature is not valid. */
export async function verifiedUse(
  services: Keys,
  secret: string,
  { response }: Claim,
  { id, publicKey, counter }: AccountPasskey,
): Promise<{ readonly counter: number; readonly askedAtMs: number } | undefined> {
  const { verifyAuthenticationResponse, isoBase64URL } = await library();
  let askedAtMs: number | undefined;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => {
        askedAtMs = timeOfChallenge(services, NOBODY, secret, challenge);
        return askedAtMs !== undefined;
      },
      ...expected(services),
      credential: { id, publicKey: isoBase64URL.toBuffer(publicKey), counter },
    });
    return verified && askedAtMs !== undefined ? { counter: authenticationInfo.newCounter, askedAtMs } : undefined;
  } catch {
    return undefined;
  }
}
