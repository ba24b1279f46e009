/** All invariants. A planted fault names the one that must report it. */
export const invariantNames = [
  // While nodes run.
  'oneOwnerActs',
  'readersStopAtLaterEpochs',
  'effectRowsAreWrittenUnderLease',
  // After all activity has ended.
  'everythingComesToRest',
  'effectsAreDone',
  'entriesStay',
  'snapshotsAreCaches',
  'acknowledgedPostsStay',
  'idsAscend',
  'editsAreInOrder',
  'deletedStaysDeleted',
  'bookmarksAreKept',
  'postsAreMadeOnce',
  'listsAreMadeOnce',
  'followsAreSymmetric',
  'reactionsAreCounted',
  'statusesAreCounted',
  'quotesAreCounted',
  'noticesAreSingle',
  'votesAreCounted',
  'pinsAreAsTold',
  'tokensAreAsTold',
  'homesAreRight',
  'alarmsRing',
  'schedulesAreKept',
  'pushesArrive',
  'breakersHold',
  'activitiesArrive',
  'cachesAreTrue',
  // When an embedded store is reopened.
  'acknowledgedWritesStay',
] as const;

export type Invariant = (typeof invariantNames)[number];

export interface Violation {
  readonly invariant: Invariant;
  readonly what: string;
}

/** The outcome of a life. */
export interface SimulationResult {
  /** Broken invariants; empty when all hold. */
  readonly violations: readonly Violation[];
  readonly asked: number;
  readonly answered: number;
  readonly events: number;
}

/** Maximum number of reports per invariant: one fault of a node is reported repeatedly. */
const PER_INVARIANT_MAX = 5;

export class Violations {
  readonly found: Violation[] = [];

  /** @param judged all others are ignored */
  constructor(private readonly judged: readonly Invariant[] = invariantNames) {}

  isJudged(invariant: Invariant): boolean {
    return this.judged.includes(invariant);
  }

  report(invariant: Invariant, what: string): void {
    if (!this.isJudged(invariant)) return;
    if (this.found.filter((one) => one.invariant === invariant).length < PER_INVARIANT_MAX)
      this.found.push({ invariant, what });
  }
}
