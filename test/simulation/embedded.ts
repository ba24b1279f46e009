import { KeyLayout } from '../../store/keys.js';
import { CommitQueue } from '../../store/lmdb/commit-queue.js';
import { type Change, type HeldTable, keyText, Overlay } from '../../store/lmdb/overlay.js';
import { RecentWrites } from '../../store/lmdb/recent-writes.js';
import { WriteLog } from '../../store/lmdb/write-log.js';
import { cursors } from '../../store/tables.js';
import type { Plant } from './faults/plant.js';
import { type SimulationResult, Violations } from './invariants/violations.js';
import { pacingOf } from './services/cassandra-session.js';
import { SimulatedDisk } from './services/simulated-disk.js';
import { Process, SeededRandom, World } from './world.js';

/** Number of processes that open the store one after another. */
const RUNS = 6;
const RUN_MS: readonly [number, number] = [20, 250];
const WRITERS = 4;
const KEYS = 12;
/** Small, so that new logs start often. */
const CHECKPOINT_BYTES = 1_500;
const VALUE_BYTES_MAX = 60;
const STORE_ID = Buffer.from('embedded');
const SETTLE_MS = 1_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const layout = new KeyLayout(cursors);
// The simulation reads LMDB's rows itself.
const table: HeldTable = { name: cursors.name, index: 0, layout, db: undefined as never };

/** The rows after each write since the store was last opened. */
interface History {
  /** The rows when it was opened. */
  readonly before: ReadonlyMap<string, Buffer>;
  readonly writes: (readonly Change[])[];
  /** Number of acknowledged writes; an acknowledgement covers all earlier writes. */
  acknowledged: number;
}

/**
 * Runs one life of an embedded store's log: the log, its commit queue and its checkpoints of production, on a simulated
 * disk. Processes are killed, or lose power, at any moment. After each start the rows are those after some number of
 * writes, in order, and that number is at least the acknowledged one.
 */
export async function simulateEmbedded(seed: number, plant: Plant): Promise<SimulationResult> {
  const random = new SeededRandom(seed);
  const world = new World(() => false);
  const disk = new SimulatedDisk(world, random.fork());
  const violations = new Violations();
  let history: History = { before: new Map(), writes: [], acknowledged: 0 };
  let [asked, answered] = [0, 0];
  for (let run = 0; run < RUNS; run++) {
    const process = new Process(`run ${run}`, 0, 1);
    try {
      const store = await world.complete(EmbeddedLog.open(disk, process, world, plant), SETTLE_MS);
      const rows = store.rows();
      check(history, rows, violations, run);
      history = { before: rows, writes: [], acknowledged: 0 };
      for (let writer = 0; writer < WRITERS; writer++) void write(store, random.fork(), process, world, history);
      await world.run(world.now + random.between(...RUN_MS) + random.fraction(), () => false);
    } catch (error) {
      violations.report('acknowledgedWritesStay', `run ${run} cannot open the store: ${String(error)}`);
      break;
    } finally {
      process.alive = false;
      disk.crash(random.chance(0.5));
    }
    asked += history.writes.length;
    answered += history.acknowledged;
  }
  return { violations: violations.found, asked, answered, events: world.eventsRun };
}

/** The components of an embedded store between a writer and the disk. */
class EmbeddedLog {
  private constructor(
    readonly queue: CommitQueue,
    private readonly disk: SimulatedDisk,
  ) {}

  static async open(disk: SimulatedDisk, process: Process, world: World, plant: Plant): Promise<EmbeddedLog> {
    const honest = disk.deviceOf(process);
    const device = { ...(plant.device?.(honest) ?? honest), commit: async () => undefined };
    const { completed } = disk;
    const options = { folder: '', tables: [table], storeId: STORE_ID, completed, device, log: silent };
    const { log, found, last } = await WriteLog.open(options);
    const checkpoints = disk.checkpointsOf(process);
    const overlay = new Overlay();
    for (const { key, bytes } of found) overlay.apply({ table, key, bytes });
    if (last > completed) await checkpoints.bringIn(overlay, last);
    const pacing = pacingOf(world, process);
    const recent = new RecentWrites(checkpoints, log, () => undefined, CHECKPOINT_BYTES, pacing);
    return new EmbeddedLog(new CommitQueue(recent, pacing), disk);
  }

  /** Returns the rows; after a start LMDB has all of them. */
  rows(): Map<string, Buffer> {
    return new Map(this.disk.rows);
  }
}

/** Writes a few rows at a time, some without waiting for the disk, while the process lives. */
async function write({ queue }: EmbeddedLog, random: SeededRandom, process: Process, world: World, history: History) {
  while (process.alive) {
    const changes = Array.from({ length: random.between(1, 3) }, () => changeOf(random));
    history.writes.push(changes);
    const number = history.writes.length;
    const isDeferred = random.chance(0.2) && queue.defer(changes);
    if (!isDeferred) {
      await queue.commit(changes);
      history.acknowledged = Math.max(history.acknowledged, number);
    }
    await new Promise<void>((resolve) => void world.at(random.fraction() * 4, process, resolve));
  }
}

function changeOf(random: SeededRandom): Change {
  const key = layout.key({ actor: `account/${random.between(1, KEYS)}` });
  const bytes = random.chance(0.2) ? undefined : Buffer.from(random.bytes(random.between(1, VALUE_BYTES_MAX)));
  return { table, key, bytes };
}

/** Checks that the rows are those after `acknowledged` writes or more. */
function check({ before, writes, acknowledged }: History, found: Map<string, Buffer>, to: Violations, run: number) {
  const rows = new Map(before);
  if (acknowledged === 0 && isSame(rows, found)) return;
  for (const [index, changes] of writes.entries()) {
    for (const { key, bytes } of changes) {
      const name = `${table.name} ${keyText(key)}`;
      if (bytes === undefined) rows.delete(name);
      else rows.set(name, bytes);
    }
    if (index + 1 >= acknowledged && isSame(rows, found)) return;
  }
  const what = `the rows are not those after ${acknowledged} acknowledged writes or more, of ${writes.length}`;
  to.report('acknowledgedWritesStay', `start ${run}: ${what}`);
}

function isSame(one: ReadonlyMap<string, Buffer>, other: ReadonlyMap<string, Buffer>): boolean {
  if (one.size !== other.size) return false;
  for (const [name, bytes] of one) if (other.get(name)?.equals(bytes) !== true) return false;
  return true;
}
