import ipaddr from 'ipaddr.js';
import type { Clock } from '../../../actors/domain/time.js';
import type { InstanceEntry } from '../../../proto/gen/types.js';
import { type EntrySource, keepRefreshed } from '../../settings/refreshed.js';

/** Address ranges whose requests are refused. Each request is checked, so the answer comes from memory. */
export interface BlockedAddresses {
  /** False if no range is blocked, so that the client's address is not needed. */
  readonly any: boolean;
  has(address: string): boolean;
  /** Registers a listener, called when the blocked ranges may have changed. */
  onChanged(listener: () => void): void;
}

/** The severity that blocks all requests. The others concern sign-ups (oauth/sign-up-limits.ts). */
const SEVERITY = 'no_access';
/** Ranges of one address family and prefix length, with their expiries, by prefix. */
interface Length {
  readonly kind: 'ipv4' | 'ipv6';
  readonly bits: number;
  readonly untilMs: Map<string, number>;
}

/** Blocked ranges in memory, by prefix length, updated with each write on this and on other nodes. */
export class AddressBlocks implements BlockedAddresses {
  readonly #clock: Clock;
  readonly #listeners: (() => void)[] = [];
  #lengths: readonly Length[] = [];

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Loads the ranges. @throws Unavailable when the store cannot answer */
  static async open(source: EntrySource): Promise<AddressBlocks> {
    const blocks = new AddressBlocks(source.clock);
    await keepRefreshed('ip_blocks', source, (entries) => blocks.#take(entries));
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

  #take(entries: readonly InstanceEntry[]): void {
    const wasAny = this.any;
    this.#lengths = byLength(entries, this.#clock.nowMs());
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

/** Returns the prefix, one character a byte, with the last byte masked. */
function firstBits(bytes: readonly number[], bits: number): string {
  const whole = Math.floor(bits / 8);
  const rest = bits % 8;
  const start = String.fromCharCode(...bytes.slice(0, whole));
  return rest === 0 ? start : start + String.fromCharCode((bytes[whole] ?? 0) & (0xff00 >> rest) & 0xff);
}
