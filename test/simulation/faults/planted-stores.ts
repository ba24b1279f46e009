import { constants } from 'node:fs';
import type { QueryOptions } from 'cassandra-driver';
import { idShard } from '../../../actors/domain/ids.js';
import { idOf, kindOf } from '../../../actors/runtime/effects/alarm-row.js';
import { alarms } from '../../../store/tables.js';
import { ROWS_TOPIC } from '../../../transport/bus.js';
import type { Plant } from './plant.js';
import type { PlantedFault } from './planted-fault.js';

/** Time for which a node reuses one timestamp. */
const STALE_MS = 500;

/** Gives groups of rows the timestamp of an earlier group, unless that is too old. */
function staleTimestamps(): Plant {
  /** The used timestamps by the right one, which all attempts share. */
  const given = new Map<number, number>();
  let taken: { readonly timestamp: number; readonly atMs: number } | undefined;
  const stale = (options: QueryOptions, nowMs: number): QueryOptions => {
    if (options.timestamp === undefined) return options;
    const own = Number(options.timestamp);
    if (taken === undefined || nowMs - taken.atMs > STALE_MS) taken = { timestamp: own, atMs: nowMs };
    const timestamp = given.get(own) ?? taken.timestamp;
    given.set(own, timestamp);
    return { ...options, timestamp };
  };
  return {
    session: (session, { world }) => ({
      execute: (query, params, options = {}) => session.execute(query, params, stale(options, world.now)),
      batch: (statements, options) => session.batch(statements, stale(options, world.now)),
      shutdown: () => session.shutdown(),
    }),
  };
}

/** Drops the invalidations: no other node learns which rows a node has written. */
const noInvalidation = (): Plant => ({
  bus: (bus) => ({
    ...bus,
    publish: (subject, payload) => {
      if (subject !== ROWS_TOPIC) bus.publish(subject, payload);
    },
  }),
});

/** Treats ends of polls that were due before a takeover as handled. */
const forgottenAlarms = (): Plant => ({
  alarms: (needs) => {
    const { tables, placement, clock } = needs;
    /** The epoch of each shard, and the time since which the node owns it under that epoch. */
    const taken = new Map<number, { readonly epoch: number; readonly atMs: number }>();
    const takenMs = (shard: number): number => {
      const epoch = placement.epochOf(shard);
      const known = taken.get(shard);
      if (epoch === undefined || known?.epoch === epoch) return known?.atMs ?? 0;
      taken.set(shard, { epoch, atMs: clock.nowMs() });
      return clock.nowMs();
    };
    return {
      ...needs,
      tables: {
        get: (table, key) => tables.get(table, key),
        write: (rows, options) => tables.write(rows, options),
        range: async (table, partition, options) => {
          const rows = await tables.range(table, partition, options);
          if ((table.name as string) !== alarms.name) return rows;
          return rows.filter(({ key }) => {
            const { actor, ringMs } = key as unknown as { actor: string; ringMs: number };
            return kindOf(actor) !== 'conversation' || ringMs >= takenMs(idShard(idOf(actor)));
          });
        },
      },
    };
  },
});

/** Acknowledges a write to the log when the kernel has it, not the disk. */
const acknowledgedTooEarly = (): Plant => ({
  device: (device) => ({ openLog: (path, flags) => device.openLog(path, flags & ~constants.O_DSYNC) }),
});

/** Faults that damage rows, or the caches and alarms derived from them. */
export const storeFaults = {
  'groups of rows with the timestamp of an earlier group': {
    profile: 'everything',
    invariant: 'reactionsAreCounted',
    seed: 3,
    plant: staleTimestamps,
  },
  'rows that are written without telling the other nodes': {
    profile: 'clocks',
    invariant: 'cachesAreTrue',
    seed: 13,
    plant: noInvalidation,
  },
  'a takeover that forgets ends of polls of the former owner': {
    profile: 'crashes',
    invariant: 'alarmsRing',
    seed: 2,
    plant: forgottenAlarms,
  },
  'a log that acknowledges before the disk has it': {
    profile: 'embedded',
    invariant: 'acknowledgedWritesStay',
    seed: 1,
    plant: acknowledgedTooEarly,
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
