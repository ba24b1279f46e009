import type { Placement } from '../../actors/runtime/placement/placement.js';
import type { ActorJournal } from '../../actors/runtime/state/recovery.js';
import type { Tables } from '../../store/port.js';

/** Returns the same store with some methods replaced. */
export const tablesWith = (inner: Tables, changed: Partial<Tables>): Tables => ({
  get: (table, key) => inner.get(table, key),
  getMany: (table, keys) => inner.getMany(table, keys),
  range: (table, partition, options) => inner.range(table, partition, options),
  write: (rows, options) => inner.write(rows, options),
  removeRange: (table, partition, bounds) => inner.removeRange(table, partition, bounds),
  compareAndSet: (table, key, expected, next) => inner.compareAndSet(table, key, expected, next),
  close: () => inner.close(),
  ...changed,
});

/** Returns the same journal with some methods replaced. */
export const journalWith = (inner: ActorJournal, changed: Partial<ActorJournal>): ActorJournal => ({
  append: (actor, afterSeq, epoch, records, alongside) => inner.append(actor, afterSeq, epoch, records, alongside),
  read: (actor, afterSeq, epoch) => inner.read(actor, afterSeq, epoch),
  isCertain: (actor, epoch) => inner.isCertain(actor, epoch),
  trim: (actor, fromSeq, beforeSeq, goesOn) => inner.trim(actor, fromSeq, beforeSeq, goesOn),
  ...changed,
});

/** Returns the same placement with some methods replaced. */
export const placementWith = (inner: Placement, changed: Partial<Placement>): Placement => ({
  epochOf: (shard) => inner.epochOf(shard),
  idFloorMs: () => inner.idFloorMs(),
  format: () => inner.format?.() ?? Number.POSITIVE_INFINITY,
  clusterMs: () => inner.clusterMs?.(),
  idCeilingMs: () => inner.idCeilingMs?.() ?? Number.POSITIVE_INFINITY,
  ownerEpoch: (shard) => inner.ownerEpoch?.(shard),
  stillOwns: async (shard, epoch) => (await inner.stillOwns?.(shard, epoch)) ?? true,
  ...changed,
});
