import { codec } from '../../../proto/codec.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { RowWrite } from '../../../store/port.js';
import { accounts, tokens } from '../../../store/tables.js';
import { journalWith, tablesWith } from '../wrapping.js';
import type { Plant } from './plant.js';
import type { PlantedFault } from './planted-fault.js';

const voted = codec('murmuration.conversation.Voted');

/** The next activation of a conversation loses who voted, and counts votes again. */
const votersAreForgotten = (): Plant => ({
  journal: (journal) =>
    journalWith(journal, {
      async *read(actor, afterSeq, epoch) {
        for await (const entry of journal.read(actor, afterSeq, epoch)) {
          const events = entry.record.events.map((event) => {
            if (event.type !== 'voted') return event;
            return { ...event, payload: voted.encode({ ...voted.decode(event.payload), by: String(entry.seq) }) };
          });
          yield { ...entry, record: { ...entry.record, events } };
        }
      },
    }),
});

/** Unpinned statuses stay in the rows of the account. */
function pinsStay(): Plant {
  const ever = new Map<string, readonly string[]>();
  const keep = (row: RowWrite): RowWrite => {
    if (row.table.name !== accounts.name || row.value === undefined) return row;
    const record = row.value as StoreAccountRecord;
    const pinnedIds = [...new Set([...(ever.get(record.id) ?? []), ...record.pinnedIds])];
    ever.set(record.id, pinnedIds);
    return { ...row, value: { ...record, pinnedIds } };
  };
  return { tables: (inner) => tablesWith(inner, { write: (rows, options) => inner.write(rows.map(keep), options) }) };
}

/** How long a write of a token takes that is carried out twice. */
const AGAIN_MS = 1_500;

/** A token is written again a moment later, whatever has become of it. */
const tokensComeBack = (): Plant => ({
  tables: (inner, { world, process }) =>
    tablesWith(inner, {
      write: async (rows, options) => {
        await inner.write(rows, options);
        const issued = rows.filter(({ table, value }) => table.name === tokens.name && value !== undefined);
        if (issued.length === 0) return;
        world.at(AGAIN_MS, process, () => {
          inner.write(issued, options).catch(() => undefined);
        });
      },
    }),
});

/** Each of these shows something else than the reply to the owner. */
export const ownerFaults = {
  'votes whose voters a recovery forgets': {
    profile: 'crashes',
    invariant: 'votesAreCounted',
    seed: 4,
    plant: votersAreForgotten,
  },
  'pins that stay in the row of their account': {
    profile: 'crashes',
    invariant: 'pinsAreAsTold',
    seed: 5,
    plant: pinsStay,
  },
  'tokens that are written again after their revocation': {
    profile: 'clocks',
    invariant: 'tokensAreAsTold',
    seed: 1,
    plant: tokensComeBack,
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
