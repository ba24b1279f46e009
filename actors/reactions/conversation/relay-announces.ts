import { accounts } from '../../../store/tables.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import type { ConversationState } from '../../conversation/state.js';
import { accountUri, isLocal, statusUri } from '../../domain/addresses.js';
import { INSTANCE_KEY } from '../../federation/account-keys.js';
import { queueActivity } from '../../federation/delivery/queue.js';
import { instanceActorUri } from '../../federation/documents/actor.js';
import { announceActivity } from '../../federation/documents/publishing.js';
import type { Reaction } from '../../runtime/kind.js';
import { type FederationContext, relaysFor } from './federate-statuses.js';

/**
 * Announces new public statuses of local authors, in the name of the server, to relays that its actor follows. It must
 * follow other reactions that send commands: their number depends on the relays. Source: LitePub relays.
 */
export function relayAnnounces(context: FederationContext): Reaction<ConversationState, ConversationEvents> {
  const { baseUrl, tables } = context;
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      added({ status }, now, effects) {
        if (status === undefined || !isLocal(status)) return undefined;
        const relays = relaysFor(context, status).filter(({ style }) => style === 'litepub');
        if (relays.length === 0) return undefined;
        return announce();

        async function announce(): Promise<void> {
          const author = status && (await tables.get(accounts, { account: status.accountId }));
          if (status === undefined || author === undefined) return;
          const actor = instanceActorUri(baseUrl);
          const [id, object] = [`${actor}#announces/${status.id}`, statusUri(baseUrl, status, author)];
          const parties = { actor, object, author: accountUri(baseUrl, author) };
          const activity = announceActivity({ ...parties, id, visibility: 'public', atMs: now.atMs });
          const inboxes = relays.map(({ inbox }) => inbox);
          const signer = { id: INSTANCE_KEY, uri: actor };
          await queueActivity(tables, now, effects, { activity, inboxes, signer, order: status.id });
        }
      },
    },
  };
}
