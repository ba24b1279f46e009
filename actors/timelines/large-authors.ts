import { type Floor, NO_FLOOR, type RingBounds, Rings } from './rings.js';

/**
 * Authors with so many local followers that writing to each ring would block the event loop. Their latest ids are in
 * one ring each, which is merged when a follower reads.
 */
export class LargeAuthors {
  readonly #logs = new Rings();
  readonly #numbers = new Map<string, number>();
  /** Numbers of the large authors that a follower's ring follows. */
  readonly #followed = new Map<number, number[]>();

  has(author: string): boolean {
    return this.#numbers.has(author);
  }

  /** Adds an author. Its statuses go to its log from now on; earlier ones are in the followers' rings. */
  add(author: string, followers: readonly number[]): void {
    const number = this.#numbers.size;
    this.#numbers.set(author, number);
    this.#logs.empty(number, NO_FLOOR);
    for (const ring of followers) this.follow(author, ring);
  }

  follow(author: string, ring: number): void {
    const number = this.#numbers.get(author);
    if (number === undefined) return;
    const followed = this.#followed.get(ring);
    if (followed === undefined) this.#followed.set(ring, [number]);
    else if (!followed.includes(number)) followed.push(number);
  }

  unfollow(author: string, ring: number): void {
    const number = this.#numbers.get(author);
    const left = this.#followed.get(ring)?.filter((one) => one !== number) ?? [];
    if (left.length === 0) this.#followed.delete(ring);
    else this.#followed.set(ring, left);
  }

  /** Removes a ring that has another account now, or none. */
  forget(ring: number): void {
    this.#followed.delete(ring);
  }

  deliver(author: string, high: number, low: number): void {
    const number = this.#numbers.get(author);
    if (number !== undefined) this.#logs.insert(number, high, low);
  }

  /** Returns the logs of the authors that a ring follows. */
  of(ring: number): { readonly floor: Floor; read: (bounds: RingBounds) => string[] }[] {
    return (this.#followed.get(ring) ?? []).map((number) => ({
      floor: this.#logs.floor(number),
      read: (bounds) => this.#logs.read(number, bounds),
    }));
  }

  /** Returns the large authors that a ring's account follows. */
  authorsOf(ring: number): string[] {
    const numbers = new Set(this.#followed.get(ring));
    return [...this.#numbers].flatMap(([author, number]) => (numbers.has(number) ? [author] : []));
  }
}
