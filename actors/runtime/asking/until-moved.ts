import { Unavailable } from '../../domain/problem.js';
import type { Clock, Timer } from '../../domain/time.js';
import type { Placement } from '../placement/placement.js';

/**
 * How often is looked whether a shard has moved while an owner is asked. It is given up at the second look that finds it
 * so: the last answer of an owner that gave the shard away has come by then.
 */
export const LOOK_MS = 200;

interface Asked {
  readonly shard: number;
  readonly epoch: number;
  moved: boolean;
  readonly giveUp: () => void;
}

/** Answers that are waited for only while their owners are known to be owners. One timer for all. */
export class UntilMoved {
  readonly #asked = new Set<Asked>();
  #timer: Timer | undefined;

  constructor(
    private readonly placement: Pick<Placement, 'ownerEpoch'>,
    private readonly clock: Clock,
  ) {}

  /** The answer. @throws Unavailable when the shard has got another owner; what was asked may be done all the same */
  wait<T>(shard: number, answer: Promise<T>): Promise<T> {
    const epoch = this.placement.ownerEpoch?.(shard);
    if (epoch === undefined) return answer;
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Unavailable('its shard has moved'));
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
