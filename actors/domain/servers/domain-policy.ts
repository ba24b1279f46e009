/** The limits that administrators set on another server. */
export interface DomainPolicy {
  /** Nothing of the server is shown, fetched or accepted, and nothing is sent to it. */
  readonly suspended: boolean;
  /** Its accounts appear only to their followers. */
  readonly silenced: boolean;
  /** Its media are neither fetched nor shown. */
  readonly rejectsMedia: boolean;
  readonly rejectsReports: boolean;
}

/** The policy for servers that nobody has limited, and for this server. */
export const NO_LIMITS: DomainPolicy = Object.freeze({
  suspended: false,
  silenced: false,
  rejectsMedia: false,
  rejectsReports: false,
});

/** Policies of other servers, by domain. Answers come from memory, because each status of each page is checked. */
export interface DomainPolicies {
  /** @param domain host and optional port, in any spelling; empty or absent: this server */
  of(domain: string | undefined): DomainPolicy;
}

/** Policies of a server without limits. */
export const NO_POLICIES: DomainPolicies = { of: () => NO_LIMITS };
