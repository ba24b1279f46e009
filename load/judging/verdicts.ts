import type { ObservedPost } from './observer.js';

export const verdictNames = ['lost', 'repeated', 'outOfOrder', 'late'] as const;
export type VerdictName = (typeof verdictNames)[number];

/** A post that was missing, late, repeated or out of order. */
export interface Finding {
  readonly verdict: VerdictName;
  /** The place where it was noticed. */
  readonly place: string;
  readonly post: string;
  readonly detail: string;
}

/** A post of the run, seen at a place. */
export interface Sighting {
  readonly post: ObservedPost;
  /** The status id under which it was seen. */
  readonly id: string;
}

/** Maximum number of findings that are kept in full; further ones are counted. */
const EXAMPLES_MAX = 50;

/** Maximum number of distinct findings that are remembered; beyond it repeats count, too. */
const KNOWN_MAX = 200_000;

/** All findings; the same finding at the same place counts once. */
export class Findings {
  readonly counts: Record<VerdictName, number> = { lost: 0, repeated: 0, outOfOrder: 0, late: 0 };
  readonly examples: Finding[] = [];
  readonly #known = new Set<string>();

  add(finding: Finding): void {
    const key = `${finding.verdict} ${finding.place} ${finding.post}`;
    if (this.#known.has(key)) return;
    if (this.#known.size < KNOWN_MAX) this.#known.add(key);
    this.counts[finding.verdict] += 1;
    const alike = this.examples.filter(({ verdict }) => verdict === finding.verdict).length;
    if (alike < EXAMPLES_MAX / verdictNames.length) this.examples.push(finding);
  }
}

/**
 * Watches one place as its posts arrive, oldest first. Posts of one author are ordered only if the later one was sent
 * after the earlier one's answer: concurrent posts may arrive in either order.
 */
export class OrderWatch {
  /** Seen posts, one bit each: there may be thousands of streams and a million posts. */
  #seen = new Uint32Array(4);
  /** The latest start seen so far, by author. */
  readonly #latestStart = new Map<number, ObservedPost>();

  constructor(
    private readonly place: string,
    private readonly findings: Findings,
  ) {}

  /**
   * Records a post. @param hasOrder false if the place may receive older posts of its author later
   * @returns false if it was seen here before
   */
  see({ post, id }: Sighting, hasOrder = true): boolean {
    if (this.saw(post)) {
      const detail = id === post.id ? `came again as ${id}` : `came as ${post.id} and as ${id}`;
      this.findings.add({ verdict: 'repeated', place: this.place, post: post.marker, detail });
      return false;
    }
    const word = post.number >>> 5;
    if (word >= this.#seen.length) this.#grow(word + 1);
    this.#seen[word] = (this.#seen[word] ?? 0) | (1 << (post.number & 31));
    if (!hasOrder) return true;
    const latest = this.#latestStart.get(post.author);
    if (latest !== undefined && (post.acknowledgedMs ?? Number.POSITIVE_INFINITY) < latest.startedMs) {
      const detail = `answered ${Math.round(latest.startedMs - (post.acknowledgedMs ?? 0))} ms before ${latest.marker} was sent, but appears after it`;
      this.findings.add({ verdict: 'outOfOrder', place: this.place, post: post.marker, detail });
    }
    if (latest === undefined || post.startedMs > latest.startedMs) this.#latestStart.set(post.author, post);
    return true;
  }

  saw(post: ObservedPost): boolean {
    return ((this.#seen[post.number >>> 5] ?? 0) & (1 << (post.number & 31))) !== 0;
  }

  #grow(words: number): void {
    const longer = new Uint32Array(Math.max(words, this.#seen.length * 2));
    longer.set(this.#seen);
    this.#seen = longer;
  }
}

/** Judges a timeline that was read at one time, newest first as servers return it. */
export function judgeTimeline(place: string, newestFirst: readonly Sighting[], findings: Findings): void {
  const watch = new OrderWatch(place, findings);
  for (const sighting of newestFirst.toReversed()) watch.see(sighting);
}

/**
 * Returns posts that should be in a timeline and are not. A timeline that was not read to its end, or that the server
 * truncates, proves nothing about posts older than the oldest one seen.
 */
export function missingFrom(
  expected: readonly ObservedPost[],
  seen: readonly Sighting[],
  readToItsEnd: boolean,
): readonly ObservedPost[] {
  const there = new Set(seen.map(({ post }) => post.marker));
  const oldestMs = Math.min(...seen.map(({ post }) => post.acknowledgedMs ?? Number.POSITIVE_INFINITY));
  return expected.filter(
    (post) =>
      post.acknowledgedMs !== undefined && !there.has(post.marker) && (readToItsEnd || post.startedMs > oldestMs),
  );
}
