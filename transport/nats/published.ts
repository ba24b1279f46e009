import { codec } from '../../proto/codec.js';
import type { ReceivedNumbers } from '../received-numbers.js';
import { Recent } from '../recent.js';

const published = codec('murmuration.node.Published');

/**
 * Maximum number of subjects whose numbers a publisher tracks (some 100 bytes each). A forgotten subject restarts at 1,
 * which its subscribers see as a gap: they catch up once more than necessary, never once less.
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

/** Detects gaps in the publishers' numbers on one subscription. */
export class GapWatch {
  constructor(private readonly numbers: Pick<ReceivedNumbers, 'hear'>) {}

  /**
   * Decodes a message. `gap`: an earlier message of this publisher is missing.
   * @throws on bytes that are not a message of ours
   */
  unwrap(bytes: Uint8Array): { readonly payload: Uint8Array; readonly gap: boolean } {
    const { publisher, number, payload } = published.decode(bytes);
    if (publisher === '' || !Number.isSafeInteger(number) || number < 1)
      throw new RangeError('a message has no publisher or number');
    return { payload, gap: this.numbers.hear(publisher, number) };
  }
}
