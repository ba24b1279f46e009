/**
 * Renders a favourite of another server's status. `actor`: address of the local account; `markId`: of the favourite.
 * Source: ActivityPub §6.8.
 */
export const likeActivity = (actor: string, object: string, markId: string) => ({
  id: `${actor}#likes/${markId}`,
  type: 'Like',
  actor,
  object,
});
