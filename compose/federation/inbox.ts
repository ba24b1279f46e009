import { isProblem } from '../../actors/domain/problem.js';
import { Inbox, type Signatures, takeLater } from '../../actors/federation/inbox/inbox.js';
import type { IncomingServices } from '../../actors/federation/inbox/port.js';
import { KnownActivities, SeenSignatures } from '../../actors/federation/inbox/replays.js';
import { Turns } from '../../actors/federation/inbox/turns.js';
import { WaitingActivities } from '../../actors/federation/inbox/waiting.js';
import { FollowersComparison } from '../../actors/federation/synchronization/comparison.js';
import { answererOf, askerOf, receiverOf } from '../../actors/runtime/kind.js';
import type { Runtime } from '../../actors/runtime/runtime.js';
import type { Services } from '../../gateway/http/services.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { INBOX_TOPIC } from '../../transport/bus.js';
import type { FederationClient } from '../../transport/federation/port.js';
import { parseSignature, type SignatureVerifier } from '../../transport/federation/verification.js';
import type { Kinds } from '../actors.js';
import type { NodeBase } from '../base.js';
import { localAccountNamed } from './local-account.js';

/** Parts of the gateway that the inbox needs. */
type Parts = Pick<Services, 'registry' | 'newAccountId'>;

/** Builds everything that handlers of activities use. */
export function incomingServices(
  { settings, tables, clock, caches }: NodeBase,
  { account, conversation, instance, report }: Kinds,
  runtime: Runtime,
  { registry, newAccountId }: Parts,
  remote: Pick<IncomingServices, 'people' | 'notes' | 'collections' | 'policies' | 'relays' | 'stamps'>,
): IncomingServices {
  const [query, queryNow] = [askerOf(account, runtime), answererOf(account, runtime)];
  return {
    baseUrl: settings.BASE_URL,
    ...remote,
    askAccount: receiverOf(account, runtime),
    askConversation: receiverOf(conversation, runtime),
    askReport: receiverOf(report, runtime),
    askInstance: receiverOf(instance, runtime),
    async relationsOf(viewer, target) {
      const asked = { targets: [target] };
      const reply = queryNow(viewer, 'relations', asked) ?? (await query(viewer, 'relations', asked));
      const relation = isProblem(reply) ? undefined : reply.relations[0];
      return { following: relation?.following === true, blockedBy: relation?.blockedBy !== false };
    },
    localAccount: (username) => localAccountNamed({ registry, tables }, username),
    activities: new KnownActivities(tables, caches),
    tables,
    clock,
    newReportId: newAccountId,
  };
}

/** The inbox of a node, and the activities that wait for a fetch. */
export interface OpenInbox {
  readonly inbox: Inbox;
  readonly waiting: WaitingActivities;
}

export async function openInbox(
  base: NodeBase,
  services: IncomingServices,
  verifier: Pick<SignatureVerifier, 'verify'>,
  heard: (sender: StoreAccountRecord) => Promise<void>,
  client: FederationClient,
): Promise<OpenInbox> {
  const { tables, bus, placement, clock, random, logger, caches } = base;
  const waiting = new WaitingActivities({
    ...{ tables, placement, clock, random },
    logger: logger.child({ part: 'inbox' }),
    announce: (lane) => bus.publish(INBOX_TOPIC, Uint8Array.of(lane)),
    carryOut: (activity) => takeLater(activity, services),
  });
  await bus.subscribe(INBOX_TOPIC, (payload) => waiting.announced(payload[0] ?? 0));
  const signatures: Signatures = {
    parse: parseSignature,
    verify: (request, publicPem, nowMs) => verifier.verify(request, publicPem, nowMs),
  };
  const comparison = new FollowersComparison({ ...services, tables, clock, caches, client });
  const synchronize = (sender: StoreAccountRecord, header: string) => comparison.begin(sender, header);
  const seen = new SeenSignatures(caches);
  const turns = new Turns(clock);
  return { inbox: new Inbox({ services, signatures, waiting, heard, synchronize, seen, turns }), waiting };
}
