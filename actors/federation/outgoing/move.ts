/** Renders the move of a local account. `atMs`: time of the move. Source: ActivityPub Move as in Mastodon and FEP-7628. */
export const moveActivity = (uri: string, target: string, atMs: number) => ({
  id: `${uri}#moves/${Math.floor(atMs)}`,
  type: 'Move',
  actor: uri,
  object: uri,
  target,
  to: [`${uri}/followers`],
});
