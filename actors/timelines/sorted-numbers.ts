import { compareWords } from './id-words.js';
import type { NumberedIds } from './numbered-ids.js';

/** Numbers sorted by their ids, each id once. Optimised for nearly sorted input, with each a few places late. */
export class SortedNumbers {
  readonly numbers: Uint32Array;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  count = 0;

  constructor(
    private readonly ids: NumberedIds,
    max: number,
  ) {
    // One extra place: an id that exists already is shifted before it is found.
    this.numbers = new Uint32Array(max + 1);
    this.high = new Uint32Array(max + 1);
    this.low = new Uint32Array(max + 1);
  }

  add(number: number): void {
    const { numbers, high, low } = this;
    const [newHigh, newLow] = [this.ids.highOf(number), this.ids.lowOf(number)];
    let place = this.count;
    for (; place > 0; place--) {
      const order = compareWords(high[place - 1] as number, low[place - 1] as number, newHigh, newLow);
      if (order === 0) {
        this.#close(place);
        return;
      }
      if (order < 0) break;
      numbers[place] = numbers[place - 1] as number;
      high[place] = high[place - 1] as number;
      low[place] = low[place - 1] as number;
    }
    numbers[place] = number;
    high[place] = newHigh;
    low[place] = newLow;
    this.count += 1;
  }

  /** Undoes the shift from `place` on. */
  #close(place: number): void {
    for (const words of [this.numbers, this.high, this.low]) words.copyWithin(place, place + 1, this.count + 1);
  }
}
