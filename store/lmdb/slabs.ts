/** A place is one small integer: which slab, and where in it. 4,096 slabs are far more than an overlay may hold. */
const SLAB_BITS = 18;
const SLAB_BYTES = 2 ** SLAB_BITS;
const LENGTH_BYTES = 4;

/**
 * Values side by side in large pieces of memory: as buffers of their own they would hold on to the pools that they were
 * cut from, and each would be the garbage collector's business.
 */
export class Slabs {
  private readonly slabs: Buffer[] = [];
  private free = SLAB_BYTES;

  /** Copies the value and answers its place. */
  keep(bytes: Uint8Array): number {
    const size = LENGTH_BYTES + bytes.length;
    if (this.free + size > SLAB_BYTES || this.slabs.length === 0) {
      // A value larger than a slab has one of its own, and the next begins another.
      this.slabs.push(Buffer.allocUnsafeSlow(Math.max(size, SLAB_BYTES)));
      this.free = 0;
    }
    const slab = this.slabs.at(-1) as Buffer;
    const at = this.free;
    slab.writeUInt32LE(bytes.length, at);
    slab.set(bytes, at + LENGTH_BYTES);
    this.free += size;
    return (this.slabs.length - 1) * SLAB_BYTES + at;
  }

  /** The value, not copied: it stays as it is. */
  at(place: number): Buffer {
    const slab = this.slabs[place >>> SLAB_BITS] as Buffer;
    const from = (place & (SLAB_BYTES - 1)) + LENGTH_BYTES;
    return slab.subarray(from, from + slab.readUInt32LE(from - LENGTH_BYTES));
  }
}
