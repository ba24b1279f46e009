import { isDeepStrictEqual } from 'node:util';
import { actorName } from '../../../actors/runtime/kind.js';
import { type ActorJournal, recover } from '../../../actors/runtime/state/recovery.js';
import type { StoreJournalRecord } from '../../../proto/gen/types.js';
import { Journal } from '../../../store/journal.js';
import type { RowWrite, Tables } from '../../../store/port.js';
import {
  backlog,
  backlogFloors,
  changedStatuses,
  cursors,
  journal,
  members,
  notifications,
  shardMap,
  snapshotChunks,
  snapshots,
} from '../../../store/tables.js';
import { lonelyRings } from '../../kit/actors/lonely-rings.js';
import { silentDeliveries } from '../../kit/actors/silent-deliveries.js';
import { silentPushes } from '../../kit/actors/silent-pushes.js';
import type { Ground } from '../node.js';
import type { WrittenRows } from '../services/written-rows.js';
import { Process } from '../world.js';
import { journalWith, tablesWith } from '../wrapping.js';
import type { Ended } from './invariants.js';
import type { Violations } from './violations.js';

/** Later than any owner's. */
const EPOCH_MAX = Number.MAX_SAFE_INTEGER;
/**
 * Tables that record the progress of runtime and cluster: they change without any effect. Also notifications: a
 * notification that was unwanted at first leaves no trace, so an effect that is repeated much later may create it. Rows
 * of changed statuses are keyed by the time of the write: a repetition adds one.
 */
const BOOKKEEPING = new Set<string>(
  [
    journal,
    cursors,
    snapshots,
    snapshotChunks,
    backlog,
    backlogFloors,
    members,
    shardMap,
    notifications,
    changedStatuses,
  ].map(({ name }) => name),
);

/** Returns all actors that have a journal. */
function actorsOf(writes: WrittenRows): string[] {
  const found = new Set<string>();
  for (const { table, key } of writes.rows.values()) if (table.name === journal.name) found.add(String(key.actor));
  return [...found];
}

/**
 * Divides all actors with a journal into those whose last entry was appended successfully, and those that end with an
 * entry of unknown outcome: its effects may wait until somebody asks the actor.
 */
export async function byCertainty({
  watch,
  writes,
}: Ground): Promise<{ readonly certain: readonly string[]; readonly uncertain: readonly string[] }> {
  const histories = new Journal(writes.histories);
  const appended = new Set(watch.appended.map(({ actor, seq, epoch }) => `${actor} ${seq} ${epoch}`));
  const certain: string[] = [];
  const uncertain: string[] = [];
  for (const actor of actorsOf(writes)) {
    let last = '';
    for await (const { seq, epoch } of histories.read(actor, 0, EPOCH_MAX)) last = `${actor} ${seq} ${epoch}`;
    (appended.has(last) ? certain : uncertain).push(actor);
  }
  return { certain, uncertain };
}

/** Checks that every successfully appended entry is in the history, unchanged. */
export async function entriesStay({ watch: { appended }, writes }: Ground, violations: Violations): Promise<void> {
  const histories = new Journal(writes.histories);
  const byActor = new Map<string, typeof appended>();
  for (const entry of appended) byActor.set(entry.actor, [...(byActor.get(entry.actor) ?? []), entry]);
  for (const [actor, entries] of byActor) {
    const history = new Map<number, { epoch: number; record: StoreJournalRecord }>();
    for await (const entry of histories.read(actor, 0, EPOCH_MAX)) history.set(entry.seq, entry);
    for (const { seq, epoch, record } of entries) {
      const found = history.get(seq);
      const what = `entry ${seq} of ${actor} (epoch ${epoch})`;
      if (found === undefined) violations.report('entriesStay', `${what} was appended and is gone`);
      else if (found.epoch !== epoch || !isSame(found.record, record))
        violations.report('entriesStay', `${what} was appended, the history has another of epoch ${found.epoch}`);
    }
  }
}

function isSame(one: StoreJournalRecord, other: StoreJournalRecord): boolean {
  const bytes = ({ events }: StoreJournalRecord) => Buffer.concat(events.map(({ payload }) => payload));
  return one.atMs === other.atMs && bytes(one).equals(bytes(other));
}

/** Checks that an actor restored from its snapshot equals one that replays its whole journal. */
export async function snapshotsAreCaches(ground: Ground, violations: Violations): Promise<void> {
  const { shared, world, writes } = ground;
  const rings = lonelyRings(shared, world.clockOf(new Process('judge', 0, 1)));
  const kinds = ground.kinds(shared, rings, silentPushes(), silentDeliveries());
  // Nothing may be appended here.
  const read: ActorJournal = journalWith(new Journal(shared), { isCertain: () => true });
  const noSnapshots = tablesWith(shared, {
    range: async (table, partition, options) =>
      table.name === snapshots.name ? [] : shared.range(table, partition, options),
  });
  const around = { placement: { epochOf: () => undefined, idFloorMs: () => 0 }, logger: silent };
  for (const actor of actorsOf(writes)) {
    const kind = kinds.find(({ name }) => actor.startsWith(`${name}/`));
    if (kind === undefined) continue;
    const id = actor.slice(kind.name.length + 1);
    const recovering = {
      kind,
      id,
      epoch: EPOCH_MAX,
      ids: { newId: () => '0', newActorId: () => '0' },
      format: () => 0,
      primed: undefined,
      pause: noPause,
    };
    const warm = await recover({ ...around, tables: shared, journal: read }, recovering);
    const whole = journalWith(new Journal(writes.histories), { isCertain: () => true });
    const cold = await recover({ ...around, tables: noSnapshots, journal: whole }, recovering);
    if (warm.core.seq !== cold.core.seq || !isDeepStrictEqual(warm.core.state, cold.core.state)) {
      const what = `${actorName({ kind: kind.name, id })} begins with a snapshot that is not of its history`;
      violations.report('snapshotsAreCaches', `${world.now.toFixed(0)} ms: ${what}`);
    }
  }
}

const noPause = () => Promise.resolve();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Returns the rows that effects write, by name. */
export async function effectRows(shared: Tables, writes: WrittenRows): Promise<Map<string, unknown>> {
  const rows = new Map<string, unknown>();
  for (const [name, { table, key }] of writes.rows) {
    if (!BOOKKEEPING.has(table.name)) rows.set(name, await valueIn(shared, { table, key }));
  }
  return rows;
}

const valueIn = (shared: Tables, { table, key }: Pick<RowWrite, 'table' | 'key'>) => shared.get(table, key as never);

/** Checks that activating every actor changes nothing: their pending effects were found without a request to them. */
export function effectsAreDone(
  { violations }: Pick<Ended, 'violations'>,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): void {
  for (const [name, value] of after) {
    if (!isDeepStrictEqual(before.get(name), value))
      violations.report('effectsAreDone', `${name} was written only when its actor was woken`);
  }
}
