import type { Witnessed } from './observer.js';

export const verdictNames = ['lost', 'repeated', 'outOfOrder', 'late'] as const;
export type VerdictName = (typeof verdictNames)[number];

/** One post that was not where, when or as often as it should be. */
export interface Finding {
  readonly verdict: VerdictName;
  /** Where somebody would have noticed. */
  readonly place: string;
  readonly post: string;
  readonly detail: string;
}

/** A post of the run where it was seen. */
export interface Sighting {
  readonly post: Witnessed;
  /** The status id under which it was seen. */
  readonly id: string;
}

/** Findings that are kept word for word; the others are counted. */
const EXAMPLES_MAX = 50;

/** Findings told apart from repeats of themselves; beyond, all count. */
const KNOWN_MAX = 200_000;

/** All that was found wrong; the same thing at the same place counts once. */
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
 * Looks at one place as its posts come, oldest first. Of one author's posts only those have an order that were sent one
 * after the other's answer: what was under way together may come either way round.
 */
export class OrderWatch {
  /** Posts seen, one bit each: there may be thousands of streams and a million posts. */
  #seen = new Uint32Array(4);
  /** Per author the latest beginning seen so far. */
  readonly #latestStart = new Map<number, Witnessed>();

  constructor(
    private readonly place: string,
    private readonly findings: Findings,
  ) {}

  /** @returns false when it was here before */
  see({ post, id }: Sighting): boolean {
    if (this.saw(post)) {
      const detail = id === post.id ? `came again as ${id}` : `came as ${post.id} and as ${id}`;
      this.findings.add({ verdict: 'repeated', place: this.place, post: post.marker, detail });
      return false;
    }
    const word = post.number >>> 5;
    if (word >= this.#seen.length) this.#grow(word + 1);
    this.#seen[word] = (this.#seen[word] ?? 0) | (1 << (post.number & 31));
    const latest = this.#latestStart.get(post.author);
    if (latest !== undefined && (post.acknowledgedMs ?? Number.POSITIVE_INFINITY) < latest.startedMs) {
      const detail = `answered ${Math.round(latest.startedMs - (post.acknowledgedMs ?? 0))} ms before ${latest.marker} was sent, yet stands after it`;
      this.findings.add({ verdict: 'outOfOrder', place: this.place, post: post.marker, detail });
    }
    if (latest === undefined || post.startedMs > latest.startedMs) this.#latestStart.set(post.author, post);
    return true;
  }

  saw(post: Witnessed): boolean {
    return ((this.#seen[post.number >>> 5] ?? 0) & (1 << (post.number & 31))) !== 0;
  }

  #grow(words: number): void {
    const longer = new Uint32Array(Math.max(words, this.#seen.length * 2));
    longer.set(this.#seen);
    this.#seen = longer;
  }
}

/** Judges a timeline that was read at one time, newest first as servers answer it. */
export function judgeTimeline(place: string, newestFirst: readonly Sighting[], findings: Findings): void {
  const watch = new OrderWatch(place, findings);
  for (const sighting of newestFirst.toReversed()) watch.see(sighting);
}

/**
 * What should be in a timeline and is not. A timeline that was not read to its end, or that the server cuts off, proves
 * nothing about posts older than the oldest one seen.
 */
export function missingFrom(
  expected: readonly Witnessed[],
  seen: readonly Sighting[],
  readToItsEnd: boolean,
): readonly Witnessed[] {
  const there = new Set(seen.map(({ post }) => post.marker));
  const oldestMs = Math.min(...seen.map(({ post }) => post.acknowledgedMs ?? Number.POSITIVE_INFINITY));
  return expected.filter(
    (post) =>
      post.acknowledgedMs !== undefined && !there.has(post.marker) && (readToItsEnd || post.startedMs > oldestMs),
  );
}
