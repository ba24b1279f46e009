import { DeliveryGate } from '../../../actors/federation/delivery/delivery-gate.js';
import { DeliveryFigures } from '../../../actors/federation/delivery/figures.js';
import type { DeliveryContext } from '../../../actors/federation/delivery/pass.js';
import { Cache } from '../../../store/cache/cache.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { CachedSchemes } from '../../../transport/federation/scheme-memory.js';

/** Returns what actors of hosts need. By default every host takes every activity, and nothing is stored. */
export const silentDeliveries = (more: Partial<DeliveryContext> = {}): DeliveryContext => ({
  tables: new MemoryTables(),
  client: { deliver: async () => ({ kind: 'delivered' }) },
  signers: { signerOf: (owner) => ({ keyId: owner, privateKey: () => Promise.reject(new Error('no key')) }) },
  clock: { nowMs: () => 0 },
  random: { fraction: () => 0 },
  gate: new DeliveryGate(),
  figures: new DeliveryFigures(),
  schemes: new CachedSchemes(undefined),
  documents: new Cache('outgoing_documents', 100, undefined),
  ...more,
});
