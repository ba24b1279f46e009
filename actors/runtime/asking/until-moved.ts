import { Unavailable } from '../../domain/problem.js';
import type { Clock, Timer } from '../../domain/time.js';
import type { Placement } from '../placement/placement.js';

/**
 * Interval of the checks whether a shard has moved while its owner is being asked. A request is abandoned at the second
 * check that finds a new owner: by then the last replies of the previous owner have arrived.
 */
export const LOOK_MS = 200;

interface Asked {
  readonly shard: number;
  readonly epoch: number;
  moved: boolean;
  readonly giveUp: () => void;
}

/** Pending requests that are abandoned when their shard's owner changes. One timer serves all. */
export class UntilMoved {
  readonly #asked = new Set<Asked>();
  #timer: Timer | undefined;

  constructor(
    private readonly placement: Pick<Placement, 'ownerEpoch'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the answer. @throws Unavailable when the shard has a new owner; the command may have been carried out all
   * the same
   */
  wait<T>(shard: number, answer: Promise<T>): Promise<T> {
    const epoch = this.placement.ownerEpoch?.(shard);
    if (epoch === undefined) return answer;
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Unavailable('the shard has moved'));
      const asked = { shard, epoch, moved: false, giveUp };
      this.#asked.add(asked);
      this.#timer ??= this.clock.after(LOOK_MS, this.#look);
      answer.then(resolve, reject).finally(() => this.#asked.delete(asked));
    });
  }

  readonly #look = (): void => {
    for (const asked of this.#asked) {
      if (asked.moved) asked.giveUp();
      else asked.moved = this.placement.ownerEpoch?.(asked.shard) !== asked.epoch;
    }
    this.#timer = this.#asked.size === 0 ? undefined : this.clock.after(LOOK_MS, this.#look);
  };
}
