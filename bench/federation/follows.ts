import type { Peer, PeerActor } from '../../test/kit/federation/peer.js';
import { until } from '../../test/kit/time/until.js';
import type { Made } from '../accounts.js';
import { at, get, type Town, write } from '../town.js';
import { Sender } from './sender.js';

/** Time within which the Follow of each follower arrives. */
const FOLLOWS_MS_MAX = 120_000;

/**
 * Makes all followers follow all actors of a peer, which accepts each Follow. Resolves when the server has done all of
 * it. Returns the ids of the actors on the server.
 */
export async function followActors(
  town: Town,
  peer: Peer,
  actors: readonly PeerActor[],
  followers: readonly Made[],
): Promise<string[]> {
  const sender = new Sender(town.target.urls[0] ?? '');
  const ids: string[] = [];
  for (const actor of actors) {
    const query = `q=${encodeURIComponent(`@${actor.name}@${peer.host}`)}&type=accounts&resolve=true`;
    const right = ({ accounts }: { accounts: unknown[] }) => accounts.length === 1;
    const { accounts } = await town.call<{ accounts: { id: string }[] }>(
      get(`/api/v2/search?${query}`, at(followers, 0), right),
    );
    ids.push(accounts[0]?.id ?? '');
  }
  const count = actors.length * followers.length;
  await town.each('follow', count, (index) => {
    const actor = at(ids, Math.floor(index / followers.length));
    return write(at(followers, index), `/api/v1/accounts/${actor}/follow`, {}, ({ following }) => following === true);
  });
  const byUri = new Map(actors.map((actor) => [actor.uri, actor]));
  const arrived = () => peer.delivered('Follow').filter(({ activity }) => byUri.has(activity.object));
  await until('all Follows', () => arrived().length >= count || undefined, FOLLOWS_MS_MAX);
  const follows = arrived();
  await town.each('Accept', count, (index) => {
    const { activity } = at(follows, index);
    return sender.signed(byUri.get(activity.object) as PeerActor, 'Accept', activity);
  });
  await town.target.settled();
  return ids;
}
