import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { JsonObject } from '../../../transport/federation/bounded-json.js';
import { readLocalUri } from '../../domain/addresses.js';
import type { ActivityHandler, IncomingActivity, IncomingServices, Outcome } from '../inbox/port.js';
import { quoteIn } from '../reading/quote.js';
import { asList, idOf, idsOf, isObject } from '../reading/values.js';
import { isMissing, type KnownStatus, type Missing } from '../remote/port.js';
import { isFollowedHere } from './announce.js';
import { voteIn } from './vote.js';

/** Tags of a status that are read. */
const TAGS_MAX = 200;

/**
 * The sender publishes a status, or votes. A status that nobody here follows, is addressed by or takes part in is not
 * stored. An object that is not the sender's own is fetched from its origin. Source: ActivityPub §7.2.
 */
export const create: ActivityHandler = {
  isRemembered: false,
  async take(activity, services) {
    const { document, allowed, sender, mayFetch } = activity;
    const { object, objectId } = allowed;
    if (object === undefined) {
      if (objectId === undefined || !isAwaitedHere(sender)) return 'ignored';
      if (!mayFetch) return 'needs-fetch';
      return outcomeOfNote(await services.notes.find(objectId));
    }
    const voted = await voteIn(object, sender, services);
    if (voted !== undefined) return voted;
    if (!(await concerns(document, object, sender, services))) return 'ignored';
    // A thread is read in one piece if the other server still has its beginning.
    const parent = idOf(object.inReplyTo);
    const isNew = parent !== undefined && (await services.notes.known(parent)) === undefined;
    if (isNew && !mayFetch) return 'needs-fetch';
    return outcomeWithQuote(
      await services.notes.received(object, sender, { parents: mayFetch }),
      object,
      activity,
      services,
    );
  },
};

/**
 * Converts the answer of the account's actor to a status, and proves its quote. The status is stored before, so that a
 * server that does not answer for the quote delays nothing but the quote.
 */
export async function outcomeWithQuote(
  note: KnownStatus | Missing | 'irrelevant',
  object: JsonObject,
  { sender, mayFetch }: IncomingActivity,
  services: IncomingServices,
): Promise<Outcome> {
  if (note === 'irrelevant' || isMissing(note)) return outcomeOfNote(note);
  const proof = await services.notes.proveQuote(object, sender, note, { mayFetch });
  return proof === 'settled' ? 'done' : proof;
}

/** Converts the answer of the account's actor to a status. */
export function outcomeOfNote(note: KnownStatus | Missing | 'irrelevant'): Outcome {
  if (note === 'irrelevant') return 'ignored';
  if (!isMissing(note)) return 'done';
  return note.missing === 'later' ? 'later' : 'ignored';
}

/**
 * Returns true if somebody of this server follows the account or waits for its answer to a follow request. Other servers
 * may send a Create before their Accept. A person who waits or is rejected sees no more of it than a stranger.
 */
const isAwaitedHere = (account: StoreAccountRecord): boolean => isFollowedHere(account) || account.followRequests > 0;

/**
 * Returns true if a new status concerns somebody of this server: a follower of its author, somebody whom it addresses
 * or mentions, or the author of a status known here that it answers or quotes.
 */
async function concerns(
  activity: JsonObject,
  note: JsonObject,
  sender: StoreAccountRecord,
  { baseUrl, notes }: IncomingServices,
): Promise<boolean> {
  if (isAwaitedHere(sender)) return true;
  const mentioned = asList(note.tag, TAGS_MAX).flatMap((tag) => (isObject(tag) ? [tag.href] : []));
  const named = [...idsOf([activity.to, activity.cc, note.to, note.cc].flat()), ...idsOf(mentioned, TAGS_MAX)];
  if (named.some((uri) => readLocalUri(baseUrl, uri)?.kind === 'account')) return true;
  const others = [idOf(note.inReplyTo), quoteIn(note)?.uri].filter((uri) => uri !== undefined);
  for (const uri of new Set(others)) if ((await notes.known(uri)) !== undefined) return true;
  return false;
}
