import { Unavailable } from '../../actors/domain/problem.js';
import type { Tables } from '../../store/port.js';
import type { AnyTable } from '../../store/table.js';
import { journal } from '../../store/tables.js';
import type { WriteTimestamps } from '../../store/write-timestamps.js';
import { isBacklog, type LastWriteWins } from './last-write.js';
import type { Process, SeededRandom, World } from './world.js';

export interface StoreFaults {
  /** Probability that an operation fails without having happened. */
  failChance: number;
  /** Probability that a write happens but is reported failed. */
  ambiguousChance: number;
  /** Probability that a write is reported failed and lands later, up to LATE_MS_MAX, as from a queue. */
  lateChance: number;
  /** The same for writes that contain entries of journals. */
  lateJournalChance: number;
  delayMs: readonly [number, number];
  /** The node whose Paxos rounds are answered late and then fail, while everything else works; undefined: none. */
  paxosVictim: string | undefined;
  /** Additional duration of every Paxos read and write on all nodes. */
  paxosMs: number;
  /** World time until which they are answered late; later ones fail. */
  paxosLateUntilMs: number;
}

/** Maximum delay, longer than a lease: a late write must be able to land after another owner took over. */
const LATE_MS_MAX = 12_000;
const REPORTED_AFTER_MS = 2_000;
/** Delay of the victim's Paxos writes: within the timeout of the caller. */
const PAXOS_LATE_MS = 1_300;

/**
 * One process's access to the shared store: operations take time in both directions, may fail, may happen although
 * reported failed, and may still happen after the process that sent them has died.
 */
export function simulatedStore(
  shared: Tables,
  writes: LastWriteWins,
  timestamps: WriteTimestamps,
  world: World,
  process: Process,
  random: SeededRandom,
  faults: StoreFaults,
): Tables {
  const delay = () => {
    const [low, high] = faults.delayMs;
    return low + random.fraction() * (high - low);
  };
  const through = <T>(writes: boolean, operation: () => Promise<T>, lateChance = faults.lateChance): Promise<T> =>
    new Promise((resolve, reject) => {
      if (writes && random.chance(lateChance)) {
        world.at(random.fraction() * LATE_MS_MAX, undefined, () => void operation());
        world.at(REPORTED_AFTER_MS, process, () => reject(new Unavailable('the store did not answer in time')));
        return;
      }
      const fails = random.chance(faults.failChance);
      const ambiguous = writes && random.chance(faults.ambiguousChance);
      const back = delay();
      // The request travels independently: it arrives even if its sender has died.
      world.at(delay(), undefined, () => {
        if (fails) {
          world.at(back, process, () => reject(new Unavailable('the store did not answer')));
          return;
        }
        operation().then(
          (value) =>
            world.at(back, process, () =>
              ambiguous ? reject(new Unavailable('the store did not answer in time')) : resolve(value),
            ),
          (error: Error) => world.at(back, process, () => reject(error)),
        );
      });
    });
  /** Conditional tables are written and read by Paxos, which can fail while everything else works. */
  const paxos = async <T>(table: AnyTable, writes: boolean, operation: () => Promise<T>) => {
    const isVictim = table.conditional === true && faults.paxosVictim === process.name;
    if (isVictim && world.now >= faults.paxosLateUntilMs) throw new Unavailable('Paxos rounds time out');
    const isSlow = table.conditional === true && faults.paxosMs > 0;
    const wait = (owner: Process | undefined) =>
      new Promise<void>((resolve) => void world.at(faults.paxosMs / 2, owner, resolve));
    const slowly = async () => {
      await wait(undefined);
      const found = await operation();
      await wait(undefined);
      return found;
    };
    const result = await through(writes, isSlow ? slowly : operation);
    if (isVictim && writes) await new Promise<void>((resolve) => void world.at(PAXOS_LATE_MS, process, resolve));
    return result;
  };
  /**
   * A node that takes shards reads the backlog of each, and most are always empty: those reads are not worth an event.
   */
  const isBare = (table: AnyTable, partition: object) =>
    isBacklog(table) && !writes.backlogShards.has(Number((partition as { shard: number }).shard));
  return {
    get: (table, key) =>
      isBare(table, key) ? Promise.resolve(undefined) : paxos(table, false, () => shared.get(table, key)),
    getMany: (table, keys) => through(false, () => shared.getMany(table, keys)),
    range: (table, partition, options) =>
      isBare(table, partition)
        ? Promise.resolve([])
        : paxos(table, false, () => shared.range(table, partition, options)),
    write: (rows) => {
      const at = timestamps.next();
      const hasEntries = rows.some(({ table }) => table.name === journal.name);
      const lateChance = hasEntries ? Math.max(faults.lateChance, faults.lateJournalChance) : faults.lateChance;
      return through(true, () => writes.write(rows, at), lateChance);
    },
    removeRange: (table, partition, bounds) => {
      const at = timestamps.next();
      return through(true, () => writes.removeRange(table, partition, bounds, at));
    },
    compareAndSet: (table, key, expected, next) =>
      paxos(table, true, () => shared.compareAndSet(table, key, expected, next)),
    close: async () => undefined,
  };
}
