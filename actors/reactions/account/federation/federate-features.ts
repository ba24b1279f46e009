import type { AccountCollectionItem } from '../../../../proto/gen/types.js';
import { featureStamps } from '../../../../store/federation-tables.js';
import type { Tables } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../../account/slices.js';
import { accountUri, collectionUri, featureStampUri, isLocal } from '../../../domain/addresses.js';
import { uriKey } from '../../../domain/text/uri-key.js';
import { type Outgoing, queueActivity } from '../../../federation/delivery/queue.js';
import {
  acceptFeatureActivity,
  deleteFeatureStampActivity,
  rejectFeatureActivity,
} from '../../../federation/outgoing/feature-answer.js';
import { featureRequestActivity } from '../../../federation/outgoing/feature-request.js';
import type { Effects, Happened, Reaction } from '../../../runtime/kind.js';
import { orderOf } from './federate-collections.js';

interface Here {
  readonly tables: Pick<Tables, 'get'>;
  readonly baseUrl: string;
}
type Now = Happened<AccountState>;
/** The address of the local account, and that of the other one. */
type Render = (featured: string, by: string) => Outgoing['activity'];

/**
 * Answers other servers that ask to feature a local account, and revokes permissions; asks them to feature their accounts
 * in local collections. After the reply. Each revocation follows its permission. Source: FEP-7aa9.
 */
export function federatedFeatures(here: Here): Reaction<AccountState, AccountEvents> {
  const { baseUrl } = here;
  const stampOf = ({ state }: Now, id: string) =>
    featureStampUri(baseUrl, { username: state.owner?.username ?? '' }, id);
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      featureAnswered({ by, uri: collection, requestId, stampId }, now, effects) {
        return send(here, now, effects, by, collection, (featured, asking) => {
          const request = { featured, by: asking, collection, requestId };
          return stampId === undefined
            ? rejectFeatureActivity(request, now.seq)
            : acceptFeatureActivity(request, stampOf(now, stampId), now.seq);
        });
      },
      collectionItemsAdded({ id, items }, now, effects) {
        // Skips accounts that have been removed meanwhile.
        const asked = items.filter((one) => now.state.collections.get(id)?.items.get(one.id)?.pending === true);
        return forEach(here, now, effects, { id, items: asked }, featureRequestActivity);
      },
      async featureRevoked({ by, uri: collection, stampId }, now, effects) {
        await forgotten(here, now, effects, stampOf(now, stampId));
        return send(here, now, effects, by, collection, (featured) =>
          deleteFeatureStampActivity({ uri: stampOf(now, stampId), featured, collection }),
        );
      },
    },
  };
}

/** Removes the account from the collection of another server as it is stored here. */
async function forgotten({ tables }: Here, { self }: Now, effects: Effects, stampUri: string): Promise<void> {
  const place = await tables.get(featureStamps, { account: self, stamp: uriKey(stampUri) });
  if (place === undefined) return;
  await effects.tell('account', place.owner, 'endFeature', { id: place.collectionId, by: self, stampUri });
}

interface Places {
  /** Id of the collection. */
  readonly id: string;
  readonly items: readonly AccountCollectionItem[];
}

/** Sends one activity for each of some places in a collection, to the server of its account. */
async function forEach(
  here: Here,
  now: Now,
  effects: Effects,
  { id, items }: Places,
  render: (actor: string, featured: string, collection: string, item: string) => Outgoing['activity'],
): Promise<void> {
  const collection = collectionUri(here.baseUrl, { username: now.state.owner?.username ?? '' }, id);
  for (const [place, { id: item, account }] of items.entries())
    await send(here, now, effects, account, collection, (actor, to) => render(actor, to, collection, item), place);
}

async function send(
  { tables, baseUrl }: Here,
  now: Now,
  effects: Effects,
  by: string,
  collection: string,
  render: Render,
  place = 0,
): Promise<void> {
  const username = now.state.owner?.username;
  const other = await tables.get(accounts, { account: by });
  if (username === undefined || other?.remote?.gone !== false || isLocal(other)) return;
  const uri = accountUri(baseUrl, { username });
  const activity = render(uri, accountUri(baseUrl, other));
  const signer = { id: now.self, uri };
  await queueActivity(
    tables,
    now,
    effects,
    { activity, inboxes: [other.remote.inbox], signer, order: orderOf(now.self, collection) },
    place,
  );
}
