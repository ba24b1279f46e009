import type { Clock } from '../../actors/domain/time.js';
import { knownDomains } from '../../store/federation-tables.js';
import { RANGE_LIMIT_MAX, type ReadTables } from '../../store/port.js';
import type { InstanceEntries } from '../settings/entries.js';
import { SharedValue } from './shared-value.js';

/** The servers that this one knows. */
export class KnownServers {
  readonly #all: SharedValue<readonly string[]>;
  readonly #entries: Pick<InstanceEntries, 'of'>;

  constructor(
    tables: Pick<ReadTables, 'range'>,
    clock: Pick<Clock, 'monotonicMs'>,
    entries: Pick<InstanceEntries, 'of'>,
  ) {
    this.#all = new SharedValue(clock, () => readAll(tables));
    this.#entries = entries;
  }

  /** Returns the number of known servers. @throws Unavailable */
  async count(): Promise<number> {
    return (await this.#all.get()).length;
  }

  /**
   * Returns the domains of known servers that administrators have not limited, in alphabetical order. Source: Mastodon
   * Api::V1::Instances::PeersController. @throws Unavailable
   */
  async peers(): Promise<string[]> {
    const limited = new Set((await this.#entries.of('domain_blocks')).map(({ key }) => key));
    return (await this.#all.get()).filter((domain) => !limited.has(domain));
  }
}

async function readAll(tables: Pick<ReadTables, 'range'>): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: { readonly domain: string } | undefined; ; after = { domain: found.at(-1) ?? '' }) {
    const rows = await tables.range(knownDomains, { century: 0 }, { after, limit: RANGE_LIMIT_MAX });
    found.push(...rows.map(({ key }) => key.domain));
    if (rows.length < RANGE_LIMIT_MAX) return found;
  }
}
