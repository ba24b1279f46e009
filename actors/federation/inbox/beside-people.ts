/** Activities that are worked on at a time however long the turns of the event loop are: other servers are served, too. */
export const BESIDE_PEOPLE_MIN = 4;
/** Longest turn of the event loop that activities may make usual. A request of a person waits for one at each step. */
export const TURN_MS_MAX = 4;
/** Part that a longer turn takes from the bound. Turns that are long for other reasons, now and then, take little. */
const TAKEN = 0.05;

/**
 * The number of activities that are worked on at a time while requests of people arrive. Activities that go on in the
 * same turn of the event loop make it long: with the embedded store those whose journal entries were written together.
 * Entries in Cassandra are written one by one, so many may be under way at short turns. The bound therefore follows the
 * measured turns: it grows slowly and shrinks by a part.
 */
export class BesidePeople {
  readonly #atOnceMax: number;
  #max: number;

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
    this.#max = Math.min(BESIDE_PEOPLE_MIN, atOnceMax);
  }

  get max(): number {
    return Math.floor(this.#max);
  }

  /** Records a turn. @param turnMs from the end of an activity until the event loop came to the next one */
  observe(turnMs: number): void {
    if (turnMs > TURN_MS_MAX)
      this.#max = Math.max(this.#max * (1 - TAKEN), Math.min(BESIDE_PEOPLE_MIN, this.#atOnceMax));
    else this.#max = Math.min(this.#max + 1 / this.#max, this.#atOnceMax);
  }
}
