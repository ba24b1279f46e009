/** A relay that has accepted the subscription of this server. */
export interface Relay {
  /** Address of its actor. */
  readonly uri: string;
  readonly inbox: string;
  /** `mastodon` or `litepub`: the latter gets Announce, too. */
  readonly style: string;
}

/** The relays that have accepted the subscription of this server. */
export interface Relays {
  readonly accepted: readonly Relay[];
  /** Returns true if one of them has an actor of this address. */
  accepts(uri: string): boolean;
  /** Returns false while relays pass on more statuses than this node fetches. Counts the status otherwise. */
  admits(): boolean;
}
