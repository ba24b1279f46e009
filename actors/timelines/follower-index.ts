/** Followers' rings of one author, in no order. */
export interface Audience {
  rings: Uint32Array;
  count: number;
}

/** Room for the first followers; most authors have few. */
const AUDIENCE_MIN = 4;
/** By so much an audience grows that is full: half of it on average is never used. */
const GROWTH = 1.25;

/** Author → rings of the local followers who have one. 4 bytes for each pair, and some hundred for each author. */
export class FollowerIndex {
  readonly #audiences = new Map<string, Audience>();

  of(author: string): Audience | undefined {
    return this.#audiences.get(author);
  }

  /** The ring must not be among the author's yet. */
  add(author: string, ring: number): Audience {
    let audience = this.#audiences.get(author);
    if (audience === undefined) {
      audience = { rings: new Uint32Array(AUDIENCE_MIN), count: 0 };
      this.#audiences.set(author, audience);
    }
    if (audience.count === audience.rings.length) {
      const larger = new Uint32Array(Math.ceil(audience.count * GROWTH));
      larger.set(audience.rings);
      audience.rings = larger;
    }
    audience.rings[audience.count++] = ring;
    return audience;
  }

  has(author: string, ring: number): boolean {
    const audience = this.#audiences.get(author);
    if (audience === undefined) return false;
    const place = audience.rings.indexOf(ring);
    return place >= 0 && place < audience.count;
  }

  /** Costs a look at the author's whole audience: microseconds for ten thousand. */
  remove(author: string, ring: number): void {
    const audience = this.#audiences.get(author);
    const place = audience?.rings.subarray(0, audience.count).indexOf(ring) ?? -1;
    if (audience === undefined || place < 0) return;
    audience.count -= 1;
    audience.rings[place] = audience.rings[audience.count] ?? 0;
    if (audience.count === 0) this.#audiences.delete(author);
  }

  /** Gives the author up as a whole; its rings are the answer. */
  take(author: string): Uint32Array {
    const audience = this.#audiences.get(author);
    this.#audiences.delete(author);
    return audience?.rings.subarray(0, audience.count) ?? new Uint32Array(0);
  }

  /** Everything that `isGone` says of rings leaves. One pass over all pairs: some 2 ns each. */
  sweep(isGone: (ring: number) => boolean): void {
    for (const [author, audience] of this.#audiences) {
      const { rings } = audience;
      let kept = 0;
      for (let place = 0; place < audience.count; place++) {
        const ring = rings[place] as number;
        if (!isGone(ring)) rings[kept++] = ring;
      }
      audience.count = kept;
      if (kept === 0) this.#audiences.delete(author);
    }
  }

  /** The authors whose posts come to each of these rings. One pass over all pairs. */
  authorsOf(wanted: ReadonlySet<number>): Map<number, string[]> {
    const found = new Map<number, string[]>();
    for (const [author, { rings, count }] of this.#audiences) {
      for (let place = 0; place < count; place++) {
        const ring = rings[place] as number;
        if (!wanted.has(ring)) continue;
        const authors = found.get(ring);
        if (authors === undefined) found.set(ring, [author]);
        else authors.push(author);
      }
    }
    return found;
  }
}
