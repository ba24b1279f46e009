import { codec } from '../../../proto/codec.js';
import { put } from '../../../store/port.js';
import { backlog, cursors } from '../../../store/tables.js';
import { journalWith, placementWith, tablesWith } from '../wrapping.js';
import type { Plant } from './plant.js';
import type { PlantedFault } from './planted-fault.js';

/** Omits backlog rows: after a crash that follows an append nothing remembers the effects. */
const noBacklogRows = (): Plant => ({
  tables: (tables) =>
    tablesWith(tables, {
      write: (rows, options) => {
        const kept = rows.filter(({ table, value }) => table.name !== backlog.name || value === undefined);
        return kept.length === 0 ? Promise.resolve() : tables.write(kept, options);
      },
    }),
});

const commands = codec('murmuration.node.ActorCommand');

/** Gives effects from other nodes a new source each time, so that receivers do not recognise repetitions. */
function receiversForget(): Plant {
  let received = 0;
  const unknown = (payload: Uint8Array) => {
    const command = commands.decode(payload);
    const { cause } = command;
    if (cause === undefined) return payload;
    received += 1;
    return commands.encode({ ...command, cause: { ...cause, actor: `${cause.actor}.${received}` } });
  };
  return {
    bus: (bus) => ({
      ...bus,
      serve: (subject, handler) => bus.serve(subject, (payload) => handler(unknown(payload))),
    }),
  };
}

/** Also stores snapshots of entries that it appended after another node had taken the shard over. */
const unconfirmedSnapshots = (): Plant => ({
  placement: (placement) => placementWith(placement, { stillOwns: async () => true }),
});

/** Appends after a former owner's last entry although another entry may still win over it. */
const neverMadeCertain = (): Plant => ({ journal: (journal) => journalWith(journal, { isCertain: () => true }) });

/** Delay between the acknowledgement and the storage of an entry. */
const FORGETFUL_MS = 400;

/** Acknowledges an entry, releases effects and reply, and stores the entry later. */
const effectBeforeAppend = (): Plant => ({
  journal: (journal, { world, process }) =>
    journalWith(journal, {
      append: async (actor, afterSeq, epoch, records, alongside) => {
        world.at(FORGETFUL_MS, process, () => {
          journal.append(actor, afterSeq, epoch, records, alongside).catch(() => undefined);
        });
      },
    }),
});

/** Advances the cursor when an entry is stored, not when its effects are done. */
const cursorTooEarly = (): Plant => ({
  journal: (journal) =>
    journalWith(journal, {
      append: async (actor, afterSeq, epoch, records, alongside) => {
        const last = afterSeq + records.length;
        const cursor = put(cursors, { actor }, { beforeReply: last, afterReply: last });
        await journal.append(actor, afterSeq, epoch, records, [...(alongside ?? []), cursor]);
      },
    }),
});

/** Faults that lose or repeat some of the actors' work. */
export const historyFaults = {
  'backlog rows that are never written': {
    profile: 'crashes',
    invariant: 'effectsAreDone',
    seed: 34,
    plant: noBacklogRows,
  },
  'receivers that do not deduplicate': {
    profile: 'crashes',
    invariant: 'statusesAreCounted',
    seed: 3,
    plant: receiversForget,
  },
  'snapshots that are stored without checking the owner in the store': {
    profile: 'blind',
    invariant: 'snapshotsAreCaches',
    seed: 16,
    plant: unconfirmedSnapshots,
  },
  'a recovery that does not make the last entry certain': {
    profile: 'late',
    invariant: 'postsAreMadeOnce',
    seed: 16,
    plant: neverMadeCertain,
  },
  'an effect sent before its append': {
    profile: 'crashes',
    invariant: 'entriesStay',
    seed: 1,
    plant: effectBeforeAppend,
  },
  'a cursor saved too early': {
    profile: 'crashes',
    invariant: 'acknowledgedPostsStay',
    seed: 5,
    plant: cursorTooEarly,
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
