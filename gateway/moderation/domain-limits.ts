import { domainName } from '../../actors/domain/servers/domain-name.js';
import { type DomainPolicies, type DomainPolicy, NO_LIMITS } from '../../actors/domain/servers/domain-policy.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import { type EntrySource, keepRefreshed } from '../settings/refreshed.js';

/** The policy for suspended servers, and for all others than the allowed ones if federation is limited. */
const SUSPENDED: DomainPolicy = Object.freeze({
  suspended: true,
  silenced: true,
  rejectsMedia: true,
  rejectsReports: true,
});

/** Cached policies, some 100 bytes each: the servers of the statuses that are read most. */
const FOUND_MAX = 10_000;

/** Policies of other servers in memory, updated with each change on this and on other nodes. */
export class DomainLimits implements DomainPolicies {
  readonly #onlyAllowed: boolean;
  /** Policies by the domain as given. */
  readonly #found: Cache<DomainPolicy>;
  #limits: ReadonlyMap<string, DomainPolicy> = new Map();
  #allowed: ReadonlySet<string> = new Set();

  private constructor(onlyAllowed: boolean, caches: Caches | undefined) {
    this.#onlyAllowed = onlyAllowed;
    this.#found = new Cache('domain_policies', FOUND_MAX, caches);
  }

  /**
   * Loads all policies.
   * @param onlyAllowed federation with the allowed domains alone (LIMITED_FEDERATION)
   * @throws Unavailable when the store cannot answer
   */
  static async open(source: EntrySource, onlyAllowed: boolean, caches?: Caches): Promise<DomainLimits> {
    const limits = new DomainLimits(onlyAllowed, caches);
    await keepRefreshed('domain_blocks', source, (entries) => limits.#limit(entries));
    if (onlyAllowed) await keepRefreshed('domain_allows', source, (entries) => limits.#allow(entries));
    return limits;
  }

  /** A limit also holds for subdomains, unless one has its own. An allowed domain does not include subdomains. */
  of(domain: string | undefined): DomainPolicy {
    if (domain === undefined || domain === '') return NO_LIMITS;
    if (!this.#onlyAllowed && this.#limits.size === 0) return NO_LIMITS;
    const known = this.#found.get(domain);
    if (known !== undefined) return known;
    const found = this.#find(domain);
    this.#found.set(domain, found);
    return found;
  }

  #find(domain: string): DomainPolicy {
    // Domains in records have the stored spelling; those in requests and documents may have any.
    const name = domainName(domain);
    if (name === undefined) return SUSPENDED;
    const host = name.replace(/:[0-9]+$/, '');
    if (this.#onlyAllowed && !this.#allowed.has(name) && !this.#allowed.has(host)) return SUSPENDED;
    return this.#limits.get(name) ?? this.#limitOf(host);
  }

  #limitOf(host: string): DomainPolicy {
    for (let rest = host; ; rest = rest.slice(rest.indexOf('.') + 1)) {
      const limit = this.#limits.get(rest);
      if (limit !== undefined) return limit;
      if (!rest.includes('.')) return NO_LIMITS;
    }
  }

  #limit(entries: readonly InstanceEntry[]): void {
    this.#found.clear();
    this.#limits = new Map(entries.map((entry) => [entry.key, policyOf(entry)]));
  }

  #allow(entries: readonly InstanceEntry[]): void {
    this.#found.clear();
    this.#allowed = new Set(entries.map(({ key }) => key));
  }
}

/** A silenced server may reject media and reports besides; `noop` only these. */
function policyOf({ domain }: InstanceEntry): DomainPolicy {
  if (domain === undefined) return NO_LIMITS;
  const { severity, rejectMedia, rejectReports } = domain;
  if (severity === 'suspend') return SUSPENDED;
  return {
    suspended: false,
    silenced: severity === 'silence',
    rejectsMedia: rejectMedia,
    rejectsReports: rejectReports,
  };
}
