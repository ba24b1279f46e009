/** What moderators have decided about an account. */
export interface State {
  readonly moderation: {
    silenced: boolean;
    sensitized: boolean;
    /** 0: not suspended. Everything is kept, so that it can be taken back. */
    suspendedAtMs: number;
    /** For good: nothing of it is shown any more, and nobody signs in. */
    deleted: boolean;
  };
}
