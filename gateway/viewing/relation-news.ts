/** Notifications about relations that change on other nodes. */
export interface RelationNews {
  /**
   * Returns true if this node would be notified of every change of this viewer's relations: the actor is on another
   * node, and the bus works.
   */
  covers(viewer: string): boolean;
  /** Returns the age in milliseconds up to which cached relations are valid without a query. */
  ageMaxMs(): number;
  /** Registers a listener. It receives the account whose relations changed, or undefined if any may have. */
  onChanged(listener: (account: string | undefined) => void): void;
}
