/**
 * Bits of a place that give the offset within a slab; the remaining ones number the slab. 4,096 slabs are far more than
 * an overlay needs.
 */
const SLAB_BITS = 18;
const SLAB_BYTES = 2 ** SLAB_BITS;
const LENGTH_BYTES = 4;

/**
 * Stores values side by side in large buffers. Buffers of their own would retain the pools that they were sliced from,
 * and each would cost the garbage collector work.
 */
export class Slabs {
  private readonly slabs: Buffer[] = [];
  private free = SLAB_BYTES;

  /** Copies the value and returns its place. */
  keep(bytes: Uint8Array): number {
    const size = LENGTH_BYTES + bytes.length;
    if (this.free + size > SLAB_BYTES || this.slabs.length === 0) {
      // A value larger than a slab gets its own; the next value starts another slab.
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

  /** Returns the value without copying it; it never changes. */
  at(place: number): Buffer {
    const slab = this.slabs[place >>> SLAB_BITS] as Buffer;
    const from = (place & (SLAB_BYTES - 1)) + LENGTH_BYTES;
    return slab.subarray(from, from + slab.readUInt32LE(from - LENGTH_BYTES));
  }
}
