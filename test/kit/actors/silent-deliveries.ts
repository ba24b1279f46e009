import { OutgoingDocuments } from '../../../actors/federation/delivery/documents.js';
import { DeliveryFigures } from '../../../actors/federation/delivery/figures.js';
import type { DeliveryContext } from '../../../actors/federation/delivery/pass.js';
import { DeliveryPlaces } from '../../../actors/federation/delivery/places.js';
import { Cache } from '../../../store/cache/cache.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { CachedSchemes } from '../../../transport/federation/scheme-memory.js';

/** Returns what actors of hosts need. By default every host takes every activity, and nothing is stored. */
export const silentDeliveries = ({
  tables = new MemoryTables(),
  ...more
}: Partial<DeliveryContext> = {}): DeliveryContext => ({
  tables,
  client: { deliver: async () => ({ kind: 'delivered' }) },
  signers: { signerOf: (owner) => ({ keyId: owner, privateKey: () => Promise.reject(new Error('no key')) }) },
  clock: { nowMs: () => 0 },
  random: { fraction: () => 0 },
  places: new DeliveryPlaces({ clock: { after: () => ({ cancel: () => undefined }) } }),
  figures: new DeliveryFigures(),
  schemes: new CachedSchemes(undefined),
  documents: new OutgoingDocuments(tables, new Cache('outgoing_documents', 100, undefined)),
  ...more,
});
