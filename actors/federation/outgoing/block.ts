import type { FollowedPair } from './follow.js';

/** Renders a block of another server's account. `edgeId`: of the block. Source: ActivityPub §6.9; Mastodon sends it. */
export const blockActivity = ({ local, remote }: FollowedPair, edgeId: string) => ({
  id: `${local}#blocks/${edgeId}`,
  type: 'Block',
  actor: local,
  object: remote,
});
