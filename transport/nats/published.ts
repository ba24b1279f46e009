import { codec } from '../../proto/codec.js';

const published = codec('murmuration.node.Published');

/**
 * Subjects whose numbers a publisher remembers (some 100 bytes each). One that was forgotten begins at 1 again, which
 * its subscribers take for a gap: they catch up once too often, never too rarely.
 */
export const SUBJECTS_MAX = 50_000;
/** Publishers that one subscription remembers: nodes of the cluster and their earlier incarnations. */
export const PUBLISHERS_MAX = 1_024;

/** Remembers a value per key; past its size the one not used for longest is forgotten. */
class Recent<V> {
  private readonly entries = new Map<string, V>();
  constructor(private readonly sizeMax: number) {}

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: V): void {
    // A map in which something is put anew each time is built anew every few times; while much is free, order is nothing.
    if (this.entries.size * 2 > this.sizeMax) this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.sizeMax) return;
    const oldest = this.entries.keys().next();
    if (!oldest.done) this.entries.delete(oldest.value);
  }
}

/** Numbers one publisher's messages, per subject from 1. */
export class Numbering {
  private readonly numbers: Recent<number>;

  constructor(
    private readonly publisher: string,
    subjectsMax = SUBJECTS_MAX,
  ) {
    this.numbers = new Recent(subjectsMax);
  }

  wrap(subject: string, payload: Uint8Array): Uint8Array {
    const number = (this.numbers.get(subject) ?? 0) + 1;
    this.numbers.set(subject, number);
    return published.encode({ publisher: this.publisher, number, payload });
  }
}

/** Sees gaps in the publishers' numbers on one subscription. */
export class GapWatch {
  private readonly last = new Recent<number>(PUBLISHERS_MAX);

  /**
   * `gap`: a message of this publisher before this one is missing. The first of a publisher never counts as one: the
   * subscription may be younger than its numbers.
   * @throws on bytes that are no such message
   */
  unwrap(bytes: Uint8Array): { readonly payload: Uint8Array; readonly gap: boolean } {
    const { publisher, number, payload } = published.decode(bytes);
    if (publisher === '' || !Number.isSafeInteger(number) || number < 1) throw new RangeError('no publisher or number');
    const last = this.last.get(publisher);
    this.last.set(publisher, number);
    return { payload, gap: last !== undefined && number !== last + 1 };
  }
}
