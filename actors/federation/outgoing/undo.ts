/** Renders the end of what an activity began. The activity is embedded. Source: ActivityPub §7.10. */
export const undoActivity = <A extends { readonly id: string; readonly actor: string }>(undone: A) => ({
  id: `${undone.id}/undo`,
  type: 'Undo',
  actor: undone.actor,
  object: undone,
});
