import type { Algorithm, Options } from '@node-rs/argon2';
import { Unavailable } from '../../actors/domain/problem.js';

/** Shortest password. Source: Mastodon and NIST SP 800-63B §3.1.1.2. */
export const PASSWORD_CHARS_MIN = 8;
/** Longest: room for any passphrase, while hashing stays bounded. */
export const PASSWORD_CHARS_MAX = 128;
/** Hashings at once, each 19 MiB and some 30 ms of a core; more are refused with 503 rather than queued. */
export const PASSWORD_CHECKS_MAX = 16;

/** The binding's const enum cannot be imported under isolatedModules; 2 is argon2id. */
const ARGON2ID = 2 as Algorithm;
/** OWASP Password Storage Cheat Sheet: argon2id, m = 19 MiB, t = 2, p = 1. */
const COST: Options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** For test accounts made in bulk only. */
const CHEAP: Options = { algorithm: ARGON2ID, memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Loaded with the first password: no start needs it. */
const argon2 = () => import('@node-rs/argon2');

/** PHC string of the password, made in the thread pool. `cheap` is for test accounts only. */
export async function hashPassword(password: string, options: { readonly cheap?: boolean } = {}): Promise<string> {
  const { hash } = await argon2();
  return hash(password, options.cheap === true ? CHEAP : COST);
}

/** Hashes and compares passwords, no more than PASSWORD_CHECKS_MAX at once. */
export class Passwords {
  #running = 0;
  #dummy: Promise<string> | undefined;

  /** @throws Unavailable when too many are under way */
  hash(password: string, options: { readonly cheap?: boolean } = {}): Promise<string> {
    return this.#slot(() => hashPassword(password, options));
  }

  /**
   * True when the password fits. Without a hash (no such account) the same work is done and the answer is false.
   * @throws Unavailable when too many are under way
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
