import { PINS_MAX } from '../../account/pin.js';
import { HASHTAG_WRITTEN_MAX, namedHashtag } from '../../domain/text/hashtag.js';
import type { ActivityHandler, IncomingActivity, IncomingServices, Outcome } from '../inbox/port.js';
import { isSameOrigin } from '../reading/uris.js';
import { idOf, objectOf, textOf, typesOf } from '../reading/values.js';
import { changedCollection, orderOfCollections } from './featured-collections.js';
import { localAccountAt, outcomeOf } from './local.js';

/**
 * The sender adds a status of its own to its pinned ones, or a hashtag or an account to its featured ones, or removes it.
 * Or it changes its collections of people (featured-collections.ts). Other collections are not kept. A status or account that is not known here is not fetched for this. Source: ActivityPub
 * §7.8, §7.9; Mastodon's `featured`.
 */
const changing = (command: 'pin' | 'unpin'): ActivityHandler => ({
  isRemembered: true,
  // Only changes of collections of people wait.
  orderOf: ({ senderUri }) => orderOfCollections(senderUri),
  async take(activity, services) {
    const { document, allowed, sender } = activity;
    const hashtag = objectOf(document.object);
    if (hashtag !== undefined && typesOf(hashtag).includes('Hashtag'))
      return tagging(command === 'pin', textOf(hashtag.name, HASHTAG_WRITTEN_MAX), activity, services);
    const target = idOf(document.target);
    if (target !== undefined && target === sender.remote?.featuredAccountsUri)
      return endorsing(command === 'pin' ? 'endorse' : 'unendorse', activity, services);
    if (target !== undefined && target !== sender.remote?.featuredUri)
      return changedCollection(command === 'pin', target, activity, services);
    if (target === undefined || allowed.objectId === undefined) return 'ignored';
    const status = await services.notes.known(allowed.objectId);
    if (status?.accountId !== sender.id) return 'ignored';
    if (command === 'pin' && sender.pinnedIds.length >= PINS_MAX) return 'ignored';
    return outcomeOf(await services.askAccount(sender.id, command, { statusId: status.id }));
  },
});

/**
 * Features a hashtag, or ends that. Servers name their `featured` or their `featuredTags` as the target, so every
 * collection of the sender's origin counts.
 */
async function tagging(
  isAdded: boolean,
  written: string,
  { document, sender, senderUri }: IncomingActivity,
  { askAccount }: IncomingServices,
): Promise<Outcome> {
  const target = idOf(document.target);
  const name = namedHashtag(written);
  if (target === undefined || !isSameOrigin(target, senderUri) || name === undefined) return 'ignored';
  if (isAdded) return outcomeOf(await askAccount(sender.id, 'featureTag', { name }));
  const known = await askAccount(sender.id, 'featuredTags', {});
  const id = 'featured' in known ? known.featured.find((tag) => tag.name === name)?.id : undefined;
  return id === undefined ? outcomeOf(known) : outcomeOf(await askAccount(sender.id, 'unfeatureTag', { id }));
}

/** Features an account, local or known here, or ends that. */
async function endorsing(
  command: 'endorse' | 'unendorse',
  { allowed: { objectId }, sender }: IncomingActivity,
  services: IncomingServices,
): Promise<Outcome> {
  if (objectId === undefined) return 'ignored';
  const featured = (await localAccountAt(objectId, services)) ?? (await services.people.known(objectId));
  if (featured === undefined) return 'ignored';
  return outcomeOf(await services.askAccount(sender.id, command, { target: featured.id }));
}

export const add = changing('pin');
export const removeFrom = changing('unpin');
