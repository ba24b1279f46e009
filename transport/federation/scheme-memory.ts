import { Cache, type Caches } from '../../store/cache/cache.js';
import type { SchemeMemory } from './port.js';
import type { SignatureScheme } from './signed-request.js';

/** Cached hosts, some 100 bytes each. A forgotten host costs one more request. */
const HOSTS_CACHED_MAX = 20_000;

/** Schemes of hosts in the memory of this node. */
export class CachedSchemes implements SchemeMemory {
  readonly #schemes: Cache<SignatureScheme>;

  constructor(caches: Caches | undefined) {
    this.#schemes = new Cache('federation_schemes', HOSTS_CACHED_MAX, caches);
  }

  schemeOf(host: string): SignatureScheme | undefined {
    return this.#schemes.get(host);
  }

  remember(host: string, scheme: SignatureScheme): void {
    this.#schemes.set(host, scheme);
  }
}
