import assert from 'node:assert/strict';
import { newKey, Peer } from '../../test/kit/federation/peer.js';
import type { Made } from '../accounts.js';
import { type Call, type Load, measureInTurn } from '../http-load.js';
import type { Row } from '../row.js';
import { at, get, type Status, Town, write } from '../town.js';
import { documentOf, Sender } from './sender.js';

const IN_FLIGHT = 32;
const ROUNDS = 3;
const COUNT = 1_000;
const WARM_UP = 2_000;
const AUTHORS = 32;
const PEOPLE = 100;
/** Local people who are followed: each foreign person follows each of them once. */
const FOLLOWED = Math.ceil((COUNT * ROUNDS + WARM_UP) / PEOPLE);
/** Activities that are sent again and again. */
const REPEATED = 50;
/** Targets in server CPU-seconds per 1,000. */
const [EFFECT_MAX, NO_EFFECT_MAX] = [0.5, 0.1];
/** A Follow, and the delivery of its Accept, which has an aim of its own (deliver.ts). */
const ACCEPTED_MAX = EFFECT_MAX + 0.9;

/**
 * Measures activities of another server, in turn with local favourites: signed Likes, Follows of locked accounts and
 * of others, repetitions, and deletions of unknown accounts. The bench process signs; only the server's CPU time counts.
 */
export async function benchInbox(): Promise<Row[]> {
  const peer = await Peer.open();
  const town = await Town.open(AUTHORS, PEOPLE, { settings: { FEDERATION_ALLOW_CIDRS: 'loopback' } });
  try {
    const key = newKey();
    const foreign = Array.from({ length: PEOPLE }, (_, index) => peer.actor(`p${index}`, {}, key));
    const base = town.target.urls[0] ?? '';
    const localTargets = town.followers.slice(0, FOLLOWED);
    const lockedTargets = town.followers.slice(-FOLLOWED);
    for (const person of lockedTargets) await town.call(locking(person));
    const sender = new Sender(base);
    const statuses = Math.ceil((COUNT * ROUNDS + WARM_UP) / PEOPLE) + PEOPLE;
    await town.each('post', statuses, (index) => town.post(at(town.authors, index), `number ${index}`));
    const ids = town.newest;
    // Each person visits each status once. Foreign people become known one after the other.
    const statusOf = (index: number) => at(ids, (index % PEOPLE) + Math.floor(index / PEOPLE));
    const uriOf = (id: string, author = authorOf(town, id)) => `${base}/users/${author}/statuses/${id}`;
    // The first answer of a person makes a key, which costs 0.2 s.
    for (const { username } of localTargets) await town.call(documentOf(username));
    for (const person of foreign) await town.call(sender.signed(person, 'Follow', `${base}/users/nobody`));
    const repeated = Array.from({ length: REPEATED }, (_, index) =>
      sender.signed(at(foreign, index), 'Like', uriOf(at(ids, index))),
    );
    const load = (name: string, call: Load['call'], target?: number): Load => ({
      ...{ name, call, count: COUNT, warmUp: WARM_UP, rounds: ROUNDS, inFlight: IN_FLIGHT, writes: true },
      ...(target === undefined ? {} : { target }),
    });
    const favourite = (index: number) =>
      write(
        at(town.followers, index),
        `/api/v1/statuses/${statusOf(index)}/favourite`,
        {},
        ({ favourited }) => favourited,
      );
    const follow = (among: readonly Made[]) => (index: number) => {
      const { username } = at(among, Math.floor(index / PEOPLE));
      return sender.signed(at(foreign, index), 'Follow', `${base}/users/${username}`);
    };
    const loads = [
      load('local favourite', favourite),
      load('signed Like', (index) => sender.signed(at(foreign, index), 'Like', uriOf(statusOf(index))), EFFECT_MAX),
      load('signed Follow of a locked account', follow(lockedTargets), EFFECT_MAX),
      load('signed Follow and its Accept', follow(localTargets), ACCEPTED_MAX),
      load('repeated request', (index) => at(repeated, index), NO_EFFECT_MAX),
      load('Delete of an unknown actor', (index) => sender.deletion(index), NO_EFFECT_MAX),
    ];
    const measured = await measureInTurn(loads.map((one) => ({ target: town.target, load: one })));
    const first = statusOf(0);
    const right = (status: Status) => status.favourites_count > 1;
    await town.call(get(`/api/v1/statuses/${first}`, at(town.followers, 0), right));
    return measured.map(({ row }) => row);
  } finally {
    await town.dispose();
    await peer.close();
  }
}

/** Locks an account: a Follow waits for its owner's answer, and no Accept is sent. */
const locking = ({ token }: Made): Call => ({
  ...{ method: 'PATCH', path: '/api/v1/accounts/update_credentials', token, body: { locked: true } },
  right: ({ locked }) => locked === true,
});

/** Returns the name of the author of a post: posts are made by the authors in turn, newest first in the list. */
function authorOf(town: Town, id: string): string {
  const found = town.authorOf(id);
  assert.ok(found);
  return found.username;
}
