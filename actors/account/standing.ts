import type * as P from '../../proto/gen/types.js';

/** Moderators' decisions about an account. */
export interface State {
  readonly moderation: {
    silenced: boolean;
    sensitized: boolean;
    /** Time of the suspension; 0: not suspended. All data stay, so that it can be undone. */
    suspendedAtMs: number;
    /** Deleted for good: its data is not shown any more, and nobody can sign in. */
    deleted: boolean;
    /** The account is kept in memory of its owner, who has died. Undefined in snapshots of earlier versions. */
    memorial: boolean | undefined;
  };
}

/** The facts about an account of another server, as that server states them. */
export interface Origin {
  readonly username: string;
  readonly domain: string;
  /** Time at which the account became known here. */
  readonly knownSinceMs: number;
  readonly actor: P.StoreRemoteActor;
}

export interface OriginState {
  /** Undefined for an account of this server. */
  origin: Origin | undefined;
}
