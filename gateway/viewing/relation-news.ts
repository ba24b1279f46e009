/** What is heard of relations that change on other nodes. */
export interface RelationNews {
  /** True while every change of this viewer's relations would be heard: they live elsewhere, and the bus works. */
  covers(viewer: string): boolean;
  /** The age in milliseconds up to which relations are believed without a question now. */
  ageMaxMs(): number;
  /** Calls it with whose relations changed, or without an account when any may have. */
  onChanged(listener: (account: string | undefined) => void): void;
}
