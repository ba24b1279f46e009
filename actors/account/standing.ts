/** Moderators' decisions about an account. */
export interface State {
  readonly moderation: {
    silenced: boolean;
    sensitized: boolean;
    /** Time of the suspension; 0: not suspended. All data stay, so that it can be undone. */
    suspendedAtMs: number;
    /** Deleted for good: its data is not shown any more, and nobody can sign in. */
    deleted: boolean;
  };
}
