import type { Codec } from './codec.js';

/**
 * Returns the codec with a `decode` that returns the same message while the bytes stay the same: for one large row that
 * is read again and again and seldom changes. The message must not be changed.
 */
export function decodedOnce<T>(codec: Codec<T>): Codec<T> {
  let last: { readonly bytes: Uint8Array; readonly message: T } | undefined;
  return {
    ...codec,
    decode: (bytes) => {
      if (last === undefined || Buffer.compare(last.bytes, bytes) !== 0) {
        // Copied: a store may use the memory of its answer again.
        last = { bytes: Uint8Array.from(bytes), message: codec.decode(bytes) };
      }
      return last.message;
    },
  };
}
