import { storedId } from '../../actors/domain/ids.js';

/** Ids that a sketch stores exactly; past them it estimates. */
const EXACT_MAX = 512;
const INDEX_BITS = 12;
/** Number of registers. The estimate's standard error is 1.04 / √registers: 1.6 %. */
const REGISTERS = 2 ** INDEX_BITS;
const ID_BYTES = 8;
const EXACT = 0;
const ESTIMATED = 1;
const MASK_64 = 0xffffffffffffffffn;
/** Source: Flajolet et al., HyperLogLog (2007). */
const BIAS = 0.7213 / (1 + 1.079 / REGISTERS);

/**
 * A set of ids of which only the size is needed: exact up to EXACT_MAX, then an estimate in 4 KiB for any number
 * (HyperLogLog). Sketches of several sets merge into that of their union.
 */
export class Sketch {
  private ids: Set<string> | undefined = new Set();
  private registers: Uint8Array | undefined;

  add(id: string): void {
    if (this.ids === undefined) {
      this.note(id);
      return;
    }
    this.ids.add(id);
    if (this.ids.size > EXACT_MAX) this.estimate();
  }

  merge(other: Sketch): void {
    for (const id of other.ids ?? []) this.add(id);
    if (other.registers === undefined) return;
    this.estimate();
    const registers = this.registers as Uint8Array;
    for (const [place, rank] of other.registers.entries()) if (rank > (registers[place] ?? 0)) registers[place] = rank;
  }

  get size(): number {
    if (this.registers === undefined) return this.ids?.size ?? 0;
    let sum = 0;
    let empty = 0;
    for (const rank of this.registers) {
      sum += 2 ** -rank;
      if (rank === 0) empty += 1;
    }
    const raw = (BIAS * REGISTERS * REGISTERS) / sum;
    const isSmall = raw <= 2.5 * REGISTERS && empty > 0;
    return Math.round(isSmall ? REGISTERS * Math.log(REGISTERS / empty) : raw);
  }

  encode(): Uint8Array {
    if (this.registers !== undefined) return Buffer.concat([Buffer.of(ESTIMATED), this.registers]);
    const ids = [...(this.ids ?? [])];
    const bytes = Buffer.alloc(1 + ids.length * ID_BYTES);
    bytes[0] = EXACT;
    for (const [place, id] of ids.entries()) bytes.writeBigUInt64BE(BigInt(id), 1 + place * ID_BYTES);
    return bytes;
  }

  static decode(encoded: Uint8Array): Sketch {
    const sketch = new Sketch();
    const bytes = Buffer.from(encoded);
    if (bytes[0] === ESTIMATED) {
      sketch.ids = undefined;
      sketch.registers = new Uint8Array(bytes.subarray(1, 1 + REGISTERS));
      return sketch;
    }
    for (let at = 1; at + ID_BYTES <= bytes.length; at += ID_BYTES)
      sketch.add(storedId(String(bytes.readBigUInt64BE(at))));
    return sketch;
  }

  private estimate(): void {
    const { ids } = this;
    if (ids === undefined) return;
    this.ids = undefined;
    this.registers = new Uint8Array(REGISTERS);
    for (const id of ids) this.note(id);
  }

  private note(id: string): void {
    const hash = mixed(BigInt(id));
    const place = Number(hash >> BigInt(64 - INDEX_BITS));
    const rest = Number((hash >> 20n) & 0xffffffffn);
    const rank = Math.clz32(rest) + 1;
    const registers = this.registers as Uint8Array;
    if (rank > (registers[place] ?? 0)) registers[place] = rank;
  }
}

/** Returns a hash. Source: the finalizer of splitmix64. */
function mixed(value: bigint): bigint {
  let hash = (value + 0x9e3779b97f4a7c15n) & MASK_64;
  hash = ((hash ^ (hash >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK_64;
  hash = ((hash ^ (hash >> 27n)) * 0x94d049bb133111ebn) & MASK_64;
  return hash ^ (hash >> 31n);
}
