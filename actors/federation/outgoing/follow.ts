import { idAfter } from '../../domain/ids.js';

/** A follow between a local account and one of another server. */
export interface FollowedPair {
  /** Address of the local account, and of the other one. */
  readonly local: string;
  readonly remote: string;
}

/** Returns the address of the Follow of a local account. */
const followId = (local: string, edgeId: string): string => `${local}#follows/${edgeId}`;

/** Renders a follow of another server's account. `edgeId`: of the follow. Source: ActivityPub §7.5. */
export const followActivity = ({ local, remote }: FollowedPair, edgeId: string) => ({
  id: followId(local, edgeId),
  type: 'Follow',
  actor: local,
  object: remote,
});

/** Returns the id of the follow whose Follow has this address; undefined for any other address. */
export const readFollow = (local: string, uri: string): string | undefined => idAfter(followId(local, ''), uri);

/** Renders the Follow of another server's account to which an answer refers. `id` is undefined if it is not known. */
export const receivedFollow = ({ local, remote }: FollowedPair, id: string | undefined) => ({
  ...(id ? { id } : {}),
  type: 'Follow',
  actor: remote,
  object: local,
});
