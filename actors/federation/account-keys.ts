import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { StoreKeyPair } from '../../proto/gen/types.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import { accountKeys } from '../../store/federation-tables.js';
import type { Tables } from '../../store/port.js';
import type { Signer } from '../../transport/federation/port.js';
import { Unavailable } from '../domain/problem.js';
import type { Clock } from '../domain/time.js';
import { keyIdOf } from './documents/actor.js';

/** Owner of the key with which the instance itself signs. */
export const INSTANCE_KEY = 'instance';

/** Size of new keys. Source: Mastodon Account::RSA_KEYLEN; other servers accept at least this size. */
const RSA_BITS = 2_048;
/** Cached keys, some 3 KB each: the accounts whose documents are read most. */
const KEYS_CACHED_MAX = 10_000;
/**
 * Owners who wait for a new key. Each takes some 0.2 s of one core; further requests for public keys are refused as
 * overload. Signers always wait: deliveries are bounded already, and a refusal would look like a failure of their host.
 */
const KEYS_WAITING_MAX = 20;

/** A key pair, and its private key as it signs: parsing costs a fifth of a signature. */
interface OwnKeys extends StoreKeyPair {
  parsed?: KeyObject;
}

type MakeKeys = () => Promise<Pick<StoreKeyPair, 'privatePem' | 'publicPem'>>;

/** Signing keys of local accounts and of the instance, made when they are first needed. */
export class AccountKeys {
  readonly #tables: Pick<Tables, 'get' | 'compareAndSet'>;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #make: MakeKeys;
  readonly #known: Cache<OwnKeys>;
  /** Keys that are being read or made, by owner. */
  readonly #waiting = new Map<string, Promise<OwnKeys>>();
  /** Keys are made one after the other, so that at most one thread of the pool is busy with them. */
  #lastMade: Promise<unknown> = Promise.resolve();
  #making = 0;

  constructor(
    tables: Pick<Tables, 'get' | 'compareAndSet'>,
    clock: Pick<Clock, 'nowMs'>,
    caches: Caches | undefined,
    make: MakeKeys = makeRsaKeys,
  ) {
    this.#tables = tables;
    this.#clock = clock;
    this.#make = make;
    this.#known = new Cache('account_keys', KEYS_CACHED_MAX, caches);
  }

  /**
   * Returns the public key (SPKI, PEM) of a local account id or INSTANCE_KEY. The key is durable when it is returned,
   * and all nodes return the same.
   * @throws Unavailable when the store cannot answer, or too many new keys are being made
   */
  async publicPem(owner: string): Promise<string> {
    return (await this.#of(owner)).publicPem;
  }

  /** Returns the signer of a local account id or INSTANCE_KEY, whose actor has the address `actorUri`. */
  signerOf(owner: string, actorUri: string): Signer {
    return { keyId: keyIdOf(actorUri), privateKey: () => this.#privateKey(owner) };
  }

  /** @throws Unavailable when the store cannot answer */
  async #privateKey(owner: string): Promise<KeyObject> {
    const keys = await this.#of(owner, Number.POSITIVE_INFINITY);
    keys.parsed ??= createPrivateKey(keys.privatePem);
    return keys.parsed;
  }

  #of(owner: string, waitingMax = KEYS_WAITING_MAX): OwnKeys | Promise<OwnKeys> {
    const known = this.#known.get(owner) ?? this.#waiting.get(owner);
    if (known !== undefined) return known;
    const found = this.#find(owner, waitingMax).finally(() => this.#waiting.delete(owner));
    this.#waiting.set(owner, found);
    return found;
  }

  async #find(owner: string, waitingMax: number): Promise<OwnKeys> {
    const stored = await this.#tables.get(accountKeys, { owner });
    const keys = stored ?? (await this.#claim(owner, waitingMax));
    this.#known.set(owner, keys);
    return keys;
  }

  /** Makes and stores a key, unless another node stores one meanwhile. */
  async #claim(owner: string, waitingMax: number): Promise<StoreKeyPair> {
    if (this.#making >= waitingMax) throw new Unavailable('too many signing keys are being made');
    this.#making += 1;
    try {
      const turn = this.#lastMade.then(this.#make);
      this.#lastMade = turn.catch(() => undefined);
      const made = { ...(await turn), createdAtMs: this.#clock.nowMs() };
      const { current } = await this.#tables.compareAndSet(accountKeys, { owner }, undefined, made);
      return current ?? made;
    } finally {
      this.#making -= 1;
    }
  }
}

async function makeRsaKeys(): Promise<Pick<StoreKeyPair, 'privatePem' | 'publicPem'>> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { privatePem: privateKey, publicPem: publicKey };
}
