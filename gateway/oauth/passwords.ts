import type { Algorithm, Options } from '@node-rs/argon2';
import { Unavailable } from '../../actors/domain/problem.js';

/** Shortest password. Source: Mastodon and NIST SP 800-63B §3.1.1.2. */
export const PASSWORD_CHARS_MIN = 8;
/** Longest password: room for any passphrase, while hashing stays bounded. */
export const PASSWORD_CHARS_MAX = 128;
/** Concurrent hashings, each 19 MiB and some 30 ms of a core. Further ones get a 503 instead of a queue. */
export const PASSWORD_CHECKS_MAX = 16;

/** Value of argon2id: the binding's const enum cannot be imported under isolatedModules. */
const ARGON2ID = 2 as Algorithm;
/** Source: OWASP Password Storage Cheat Sheet: argon2id, m = 19 MiB, t = 2, p = 1. */
const COST: Options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Cost for test accounts made in bulk only. */
const CHEAP: Options = { algorithm: ARGON2ID, memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Loads the binding with the first password, because a start does not need it. */
const argon2 = () => import('@node-rs/argon2');

/** Returns the PHC string of the password, computed in the thread pool. `cheap` is for test accounts only. */
export async function hashPassword(password: string, options: { readonly cheap?: boolean } = {}): Promise<string> {
  const { hash } = await argon2();
  return hash(password, options.cheap === true ? CHEAP : COST);
}

/** Hashes and compares passwords, no more than PASSWORD_CHECKS_MAX at once. */
export class Passwords {
  #running = 0;
  #dummy: Promise<string> | undefined;

  /** Hashes a password. @throws Unavailable when too many are being hashed */
  hash(password: string, options: { readonly cheap?: boolean } = {}): Promise<string> {
    return this.#slot(() => hashPassword(password, options));
  }

  /**
   * Returns true if the password matches. Without a hash (no such account) it does the same work and returns false.
   * @throws Unavailable when too many are being hashed
   */
  async matches(stored: string | undefined, password: string): Promise<boolean> {
    if (password.length > PASSWORD_CHARS_MAX) return false;
    return this.#slot(async () => {
      const { verify } = await argon2();
      if (stored !== undefined && stored !== '') return verify(stored, password);
      this.#dummy ??= hashPassword('a password that nobody has');
      await verify(await this.#dummy, password);
      return false;
    });
  }

  async #slot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= PASSWORD_CHECKS_MAX) throw new Unavailable('too many passwords are being checked');
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }
}
