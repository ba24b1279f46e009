import type { DomainPolicies } from '../actors/domain/servers/domain-policy.js';
import { type AccountKeys, INSTANCE_KEY } from '../actors/federation/account-keys.js';
import { OutgoingDocuments } from '../actors/federation/delivery/documents.js';
import { DeliveryFigures } from '../actors/federation/delivery/figures.js';
import { eventLoop, paced } from '../actors/federation/delivery/pace.js';
import type { DeliveryContext } from '../actors/federation/delivery/pass.js';
import { DeliveryPlaces } from '../actors/federation/delivery/places.js';
import { instanceActorUri } from '../actors/federation/documents/actor.js';
import { Stamps } from '../actors/federation/remote/stamps.js';
import { headerFor } from '../actors/federation/synchronization/partial-followers.js';
import { Cache } from '../store/cache/cache.js';
import type { SchemeMemory } from '../transport/federation/port.js';
import { CachedSchemes } from '../transport/federation/scheme-memory.js';
import { SignedClient, type SignedClientOptions } from '../transport/federation/signed-client.js';
import { SignatureVerifier } from '../transport/federation/verification.js';
import type { NodeBase } from './base.js';

/** The exchange of this node with other servers. */
export interface Federation {
  readonly client: SignedClient;
  readonly signatures: SignatureVerifier;
  /** Signature schemes that other servers accept. */
  readonly schemes: SchemeMemory;
  /** Counts of this node's deliveries. */
  readonly delivery: DeliveryFigures;
  /** Verifies stamps of other servers. */
  readonly stamps: Stamps;
}

/** Cached texts of activities, some 3 KB each: those of posts that go to many hosts at the moment. */
const DOCUMENTS_CACHED_MAX = 1_000;

export function openFederation(
  { settings, clock, caches }: NodeBase,
  connections: Pick<SignedClientOptions, 'guard' | 'userAgent' | 'resolve'>,
  keys: AccountKeys,
  domains: DomainPolicies,
): Federation {
  const schemes = new CachedSchemes(caches);
  const instance = keys.signerOf(INSTANCE_KEY, instanceActorUri(settings.BASE_URL));
  const isSuspended = (host: string) => domains.of(host).suspended;
  const client = new SignedClient({ ...connections, clock, instance, schemes, isSuspended });
  return {
    client,
    stamps: new Stamps(client),
    signatures: new SignatureVerifier(caches, schemes),
    schemes,
    delivery: new DeliveryFigures(),
  };
}

/** Returns what the actors of other hosts need to deliver. */
export function deliveryOf(
  { tables, clock, random, caches }: NodeBase,
  { accountKeys, federation }: { readonly accountKeys: AccountKeys; readonly federation: Federation },
): DeliveryContext {
  return {
    ...{ tables, clock, random },
    places: new DeliveryPlaces({ clock, pace: paced(eventLoop(clock)), caches }),
    client: federation.client,
    signers: accountKeys,
    synchronization: (account, uri, inbox) => headerFor(tables, account, uri, inbox),
    figures: federation.delivery,
    schemes: federation.schemes,
    documents: new OutgoingDocuments(tables, new Cache('outgoing_documents', DOCUMENTS_CACHED_MAX, caches)),
  };
}
