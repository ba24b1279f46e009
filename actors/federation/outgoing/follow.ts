/** A follow between a local account and one of another server. */
export interface FollowedPair {
  /** Address of the local account, and of the other one. */
  readonly local: string;
  readonly remote: string;
}

/** Renders a follow of another server's account. `edgeId`: of the follow. Source: ActivityPub §7.5. */
export const followActivity = ({ local, remote }: FollowedPair, edgeId: string) => ({
  id: `${local}#follows/${edgeId}`,
  type: 'Follow',
  actor: local,
  object: remote,
});

/** Renders the Follow of another server's account to which an answer refers. `id` is undefined if it is not known. */
export const receivedFollow = ({ local, remote }: FollowedPair, id: string | undefined) => ({
  ...(id ? { id } : {}),
  type: 'Follow',
  actor: remote,
  object: local,
});
