import type { Tables } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../../account/slices.js';
import { accountUri, featureStampUri, isLocal } from '../../../domain/addresses.js';
import { type Outgoing, queueActivity } from '../../../federation/delivery/queue.js';
import {
  acceptFeatureActivity,
  deleteFeatureStampActivity,
  rejectFeatureActivity,
} from '../../../federation/outgoing/feature-answer.js';
import type { Effects, Happened, Reaction } from '../../../runtime/kind.js';

interface Here {
  readonly tables: Pick<Tables, 'get'>;
  readonly baseUrl: string;
}
type Now = Happened<AccountState>;
/** The address of the local account, and that of the other one. */
type Render = (featured: string, by: string) => Outgoing['activity'];

/**
 * Answers other servers that ask to feature a local account, and revokes permissions, after the reply. Each revocation
 * follows its permission. Source: FEP-7aa9.
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
      featureRevoked({ by, uri: collection, stampId }, now, effects) {
        return send(here, now, effects, by, collection, (featured) =>
          deleteFeatureStampActivity({ uri: stampOf(now, stampId), featured, collection }),
        );
      },
    },
  };
}

async function send(
  { tables, baseUrl }: Here,
  now: Now,
  effects: Effects,
  by: string,
  collection: string,
  render: Render,
): Promise<void> {
  const username = now.state.owner?.username;
  const other = await tables.get(accounts, { account: by });
  if (username === undefined || other?.remote?.gone !== false || isLocal(other)) return;
  const uri = accountUri(baseUrl, { username });
  const activity = render(uri, accountUri(baseUrl, other));
  const order = `feature ${now.self} ${collection}`;
  const signer = { id: now.self, uri };
  await queueActivity(tables, now, effects, { activity, inboxes: [other.remote.inbox], signer, order });
}
