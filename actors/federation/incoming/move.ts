import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { isLocal, readLocalUri } from '../../domain/addresses.js';
import type { ActivityHandler, IncomingServices, Outcome } from '../inbox/port.js';
import { idOf } from '../reading/values.js';
import { isMissing } from '../remote/port.js';
import { localAccountAt, outcomeOf } from './local.js';

/**
 * Age of a fetched target that is known as it is now: a fetch takes 8 s at most. People often name an alias just before
 * they move, so an older document says nothing; it is fetched again after 5 min at the earliest.
 */
const FRESH_MS = 10_000;

/**
 * The sender moves to an account that names it as its alias (`alsoKnownAs`), and that has not moved itself: so chains
 * and loops end at the first step. Its followers here follow that account. Source: ActivityPub Move as in Mastodon and
 * FEP-7628.
 */
export const move: ActivityHandler = {
  isRemembered: true,
  // A target that does not answer delays no later activity about the sender.
  orderOf: ({ senderUri }) => `${senderUri}#moves`,
  async take({ document, allowed, sender, senderUri, mayFetch }, services) {
    const uri = idOf(document.target);
    if (allowed.objectId !== senderUri || uri === undefined || uri === senderUri) return 'ignored';
    if (sender.movedTo?.uri === uri) return 'ignored';
    if (!mayFetch && readLocalUri(services.baseUrl, uri) === undefined) return 'needs-fetch';
    const target = await agreed(uri, senderUri, services);
    if (typeof target === 'string') return target;
    const targetLocked = target.profile?.locked === true;
    return outcomeOf(await services.askAccount(sender.id, 'move', { target: target.id, targetUri: uri, targetLocked }));
  },
};

/** Returns the target if it agrees. A refusal counts only if it is of the target as it is now. */
async function agreed(
  uri: string,
  senderUri: string,
  services: IncomingServices,
): Promise<StoreAccountRecord | Outcome> {
  const local = await localAccountAt(uri, services);
  if (local !== undefined)
    return local.aliases?.uris.includes(senderUri) === true && local.movedTo === undefined ? local : 'ignored';
  if (readLocalUri(services.baseUrl, uri) !== undefined) return 'ignored';
  const found = await services.people.find(uri, { fresh: true });
  if (isMissing(found)) return found.missing === 'later' ? 'later' : 'ignored';
  const { remote } = found;
  if (remote === undefined || isLocal(found) || services.policies.of(found.domain).suspended) return 'ignored';
  if (remote.movedTo === '' && remote.alsoKnownAs.includes(senderUri)) return found;
  return services.clock.nowMs() - remote.fetchedAtMs > FRESH_MS ? 'later' : 'ignored';
}
