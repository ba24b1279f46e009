import { idShard } from '../../../actors/domain/ids.js';
import type { StoreMemberRecord } from '../../../proto/gen/types.js';
import { members } from '../../../store/tables.js';
import { journalWith, placementWith, tablesWith } from '../wrapping.js';
import type { Plant } from './plant.js';
import type { PlantedFault } from './planted-fault.js';

/** Claims that a row now says `gone` but leaves it unchanged: its holder can still renew it. */
const noFence = (): Plant => ({
  clusterTables: (tables, { process }) =>
    tablesWith(tables, {
      compareAndSet: async (table, key, expected, next) => {
        const row = next as unknown as StoreMemberRecord | undefined;
        const fences = (table.name as string) === members.name && row?.state === 'gone' && row.name !== process.name;
        return fences ? { applied: true, current: next } : tables.compareAndSet(table, key, expected, next);
      },
    }),
});

/** Continues to read after entries of later epochs. */
const readerIgnoresEpochs = (): Plant => ({
  journal: (journal) =>
    journalWith(journal, { read: (actor, afterSeq) => journal.read(actor, afterSeq, Number.MAX_SAFE_INTEGER) }),
});

/** Returns true when code of that file is on the call stack. */
const isAskedBy = (file: string): boolean => new Error().stack?.includes(file) === true;

/** Acknowledges an append as the owner at its start, whatever has happened to the shard since. */
function noCheckBehindAppend(): Plant {
  /** Appends under way, by shard. */
  const appending = new Map<number, number>();
  return {
    journal: (journal, { world }) =>
      journalWith(journal, {
        append: async (actor, afterSeq, epoch, records, alongside) => {
          const shard = idShard(actor.slice(actor.indexOf('/') + 1));
          appending.set(shard, (appending.get(shard) ?? 0) + 1);
          try {
            await journal.append(actor, afterSeq, epoch, records, alongside);
          } finally {
            // The acknowledgement follows in microtasks.
            world.at(0.001, undefined, () => void appending.set(shard, (appending.get(shard) ?? 1) - 1));
          }
        },
      }),
    placement: (placement) => {
      const last = new Map<number, number>();
      return placementWith(placement, {
        epochOf: (shard) => {
          const epoch = placement.epochOf(shard);
          if (epoch !== undefined) last.set(shard, epoch);
          const before = last.get(shard);
          if (epoch !== undefined || before === undefined || (appending.get(shard) ?? 0) === 0) return epoch;
          return isAskedBy('runtime/activation/activation.js') ? before : undefined;
        },
      });
    },
  };
}

/** Lets reactions write rows although the lease is lost. */
const rowsWithoutLease = (): Plant => ({
  placement: (placement) => {
    const last = new Map<number, number>();
    return placementWith(placement, {
      epochOf: (shard) => {
        const epoch = placement.epochOf(shard);
        if (epoch !== undefined) last.set(shard, epoch);
        const before = last.get(shard);
        return epoch === undefined && before !== undefined && isAskedBy('runtime/effects/effects.js') ? before : epoch;
      },
    });
  },
});

/** Lets ids and write timestamps begin at the clock, ignoring the times of earlier owners. */
const idsIgnoreFloor = (): Plant => ({ placement: (placement) => placementWith(placement, { idFloorMs: () => 0 }) });

/** Faults that let a node act without permission. */
export const fencingFaults = {
  'a takeover that does not fence the former owner': {
    profile: 'ownership',
    invariant: 'oneOwnerActs',
    seed: 1,
    plant: noFence,
  },
  'a journal reader that ignores epochs': {
    profile: 'blind',
    invariant: 'readersStopAtLaterEpochs',
    seed: 2,
    plant: readerIgnoresEpochs,
  },
  'an acknowledgement without a check of the ownership after the append': {
    profile: 'ownership',
    invariant: 'oneOwnerActs',
    seed: 2,
    plant: noCheckBehindAppend,
  },
  'rows of effects that are written without a lease': {
    profile: 'ownership',
    invariant: 'effectRowsAreWrittenUnderLease',
    seed: 5,
    plant: rowsWithoutLease,
  },
  'ids that ignore the floor of earlier owners': {
    profile: 'ownership',
    invariant: 'idsAscend',
    seed: 32,
    plant: idsIgnoreFloor,
  },
  'a lease without margin': {
    profile: 'leases',
    invariant: 'oneOwnerActs',
    seed: 1,
    rules: { marginMs: 0, validFrom: 'answered' },
  },
  'a takeover that ignores an unexpired lease': {
    profile: 'leases',
    invariant: 'oneOwnerActs',
    seed: 1,
    rules: { watchMs: 2_600 },
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
