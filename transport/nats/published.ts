import { codec } from '../../proto/codec.js';
import { HeardNumbers } from '../heard-numbers.js';
import { Recent } from '../recent.js';

const published = codec('murmuration.node.Published');

/**
 * Subjects whose numbers a publisher remembers (some 100 bytes each). One that was forgotten begins at 1 again, which
 * its subscribers take for a gap: they catch up once too often, never too rarely.
 */
export const SUBJECTS_MAX = 50_000;

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
  constructor(private readonly numbers: Pick<HeardNumbers, 'hear'> = new HeardNumbers()) {}

  /**
   * `gap`: a message of this publisher before this one is missing.
   * @throws on bytes that are no such message
   */
  unwrap(bytes: Uint8Array): { readonly payload: Uint8Array; readonly gap: boolean } {
    const { publisher, number, payload } = published.decode(bytes);
    if (publisher === '' || !Number.isSafeInteger(number) || number < 1) throw new RangeError('no publisher or number');
    return { payload, gap: this.numbers.hear(publisher, number) };
  }
}
