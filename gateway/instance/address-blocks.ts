import ipaddr from 'ipaddr.js';
import type { Clock } from '../../actors/domain/time.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { CachedTables } from '../../store/cached-tables.js';
import { instanceEntries } from '../../store/tables.js';
import type { InstanceEntries } from './entries.js';

/** Whose requests are not answered at all; asked for each request, so answered out of memory. */
export interface BlockedAddresses {
  /** False: nobody's, and nothing need be known of who asks. */
  readonly any: boolean;
  has(address: string): boolean;
  /** Called when others may be blocked than before. */
  onChanged(listener: () => void): void;
}

/** The collection, and the severity of it that shuts everything. The others concern signing up (oauth/sign-up-limits.ts). */
const COLLECTION = 'ip_blocks';
const SEVERITY = 'no_access';
/** When the store could not be read, it is tried again so much later; what was known holds meanwhile. */
const AGAIN_MS = 1_000;

/** Until when ranges of one kind and length are blocked, by their first bits. */
interface Length {
  readonly kind: 'ipv4' | 'ipv6';
  readonly bits: number;
  readonly untilMs: Map<string, number>;
}

/** The blocked ranges in memory, by their length, kept in step with what is written, here and elsewhere. */
export class AddressBlocks implements BlockedAddresses {
  readonly #entries: Pick<InstanceEntries, 'of'>;
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  readonly #listeners: (() => void)[] = [];
  #lengths: readonly Length[] = [];
  #order: Promise<void> = Promise.resolve();

  private constructor(entries: Pick<InstanceEntries, 'of'>, clock: Clock, failed: (error: unknown) => void) {
    this.#entries = entries;
    this.#clock = clock;
    this.#failed = failed;
  }

  /**
   * `entries` must have been made of the same tables, so that it hears of a change first.
   * @throws Unavailable when the store cannot answer
   */
  static async open(
    entries: InstanceEntries,
    tables: Pick<CachedTables, 'onChanged'>,
    clock: Clock,
    failed: (error: unknown) => void,
  ): Promise<AddressBlocks> {
    const blocks = new AddressBlocks(entries, clock, failed);
    tables.onChanged((rows) => {
      const isOwn = rows?.some(({ table, key }) => table === instanceEntries.name && key[0] === COLLECTION) ?? true;
      if (isOwn) blocks.#later();
    });
    await blocks.#read();
    return blocks;
  }

  get any(): boolean {
    return this.#lengths.length > 0;
  }

  has(text: string): boolean {
    if (this.#lengths.length === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    const kind = address.kind();
    const bytes = address.toByteArray();
    const nowMs = this.#clock.nowMs();
    return this.#lengths.some((length) => {
      const untilMs = length.kind === kind ? length.untilMs.get(firstBits(bytes, length.bits)) : undefined;
      return untilMs !== undefined && untilMs > nowMs;
    });
  }

  onChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #later(): void {
    this.#order = this.#order
      .then(() => this.#read())
      .catch((error) => {
        this.#failed(error);
        this.#clock.after(AGAIN_MS, () => this.#later());
      });
  }

  async #read(): Promise<void> {
    const wasAny = this.any;
    this.#lengths = byLength(await this.#entries.of(COLLECTION), this.#clock.nowMs());
    if (wasAny || this.any) for (const listener of this.#listeners) listener();
  }
}

function byLength(entries: readonly InstanceEntry[], nowMs: number): Length[] {
  const lengths = new Map<string, Length>();
  for (const { key, address: limit } of entries) {
    if (limit?.severity !== SEVERITY || !ipaddr.isValidCIDR(key)) continue;
    if (limit.expiresAtMs !== 0 && limit.expiresAtMs <= nowMs) continue;
    const [network, bits] = ipaddr.parseCIDR(key);
    const kind = network.kind();
    const length = lengths.get(`${kind}/${bits}`) ?? { kind, bits, untilMs: new Map<string, number>() };
    lengths.set(`${kind}/${bits}`, length);
    const untilMs = limit.expiresAtMs === 0 ? Number.POSITIVE_INFINITY : limit.expiresAtMs;
    length.untilMs.set(firstBits(network.toByteArray(), bits), untilMs);
  }
  return [...lengths.values()];
}

/** One character a byte, the last one cut to its bits. */
function firstBits(bytes: readonly number[], bits: number): string {
  const whole = Math.floor(bits / 8);
  const rest = bits % 8;
  const start = String.fromCharCode(...bytes.slice(0, whole));
  return rest === 0 ? start : start + String.fromCharCode((bytes[whole] ?? 0) & (0xff00 >> rest) & 0xff);
}
