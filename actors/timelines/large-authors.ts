import { type Floor, NO_FLOOR, type RingBounds, Rings } from './rings.js';

/**
 * Authors with so many local followers that writing to each ring would hold the event loop: their latest ids lie in
 * one ring of their own, which is merged when a follower reads.
 */
export class LargeAuthors {
  readonly #logs = new Rings();
  readonly #numbers = new Map<string, number>();
  /** Follower's ring → numbers of the large authors it follows. */
  readonly #followed = new Map<number, number[]>();

  has(author: string): boolean {
    return this.#numbers.has(author);
  }

  /** From now on the author's posts go to its log; until now they went to the followers' rings. */
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

  /** The ring has another owner now, or none. */
  forget(ring: number): void {
    this.#followed.delete(ring);
  }

  deliver(author: string, high: number, low: number): void {
    const number = this.#numbers.get(author);
    if (number !== undefined) this.#logs.insert(number, high, low);
  }

  /** The logs that belong to a follower's home, as their readers. */
  of(ring: number): { readonly floor: Floor; read: (bounds: RingBounds) => string[] }[] {
    return (this.#followed.get(ring) ?? []).map((number) => ({
      floor: this.#logs.floor(number),
      read: (bounds) => this.#logs.read(number, bounds),
    }));
  }

  /** Large authors that a ring's owner follows. */
  authorsOf(ring: number): string[] {
    const numbers = new Set(this.#followed.get(ring));
    return [...this.#numbers].flatMap(([author, number]) => (numbers.has(number) ? [author] : []));
  }
}
