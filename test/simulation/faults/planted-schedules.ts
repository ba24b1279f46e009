import { codec } from '../../../proto/codec.js';
import type { AccountPost } from '../../../proto/gen/types.js';
import type { RowWrite } from '../../../store/port.js';
import { alarms } from '../../../store/tables.js';
import { journalWith, tablesWith } from '../wrapping.js';
import type { Plant } from './plant.js';
import type { PlantedFault } from './planted-fault.js';

const scheduled = codec('murmuration.account.Scheduled');

/** Drafts of all nodes of a life, by the id of the scheduled status. */
const draftsOf = new WeakMap<object, Map<string, AccountPost>>();

/** Posts the draft at each alarm without checking that it is still scheduled, and for that time. */
const alarmsPostBlindly = (): Plant => ({
  journal: (journal, { world }) =>
    journalWith(journal, {
      append: async (actor, afterSeq, epoch, records, alongside) => {
        await journal.append(actor, afterSeq, epoch, records, alongside);
        const drafts = draftsOf.get(world) ?? new Map<string, AccountPost>();
        draftsOf.set(world, drafts);
        for (const { type, payload } of records.flatMap(({ events }) => events)) {
          if (type !== 'scheduled') continue;
          const { id, post } = scheduled.decode(payload);
          if (post !== undefined) drafts.set(id, post);
        }
      },
    }),
  alarms: (needs, { world }) => ({
    ...needs,
    asker: {
      answerNow: (kind, id, command, input) => needs.asker.answerNow(kind, id, command, input),
      ask: (kind, id, command, input, once) => {
        const draft = draftsOf.get(world)?.get((input as { readonly what?: string }).what ?? '');
        if (command !== 'alarm' || draft === undefined) return needs.asker.ask(kind, id, command, input, once);
        return needs.asker.ask(kind, id, 'post', draft);
      },
    },
  }),
});

/** Sets one alarm for each scheduled status: a rescheduled one has none for its new time. */
function alarmsDoNotMove(): Plant {
  const setMs = new Map<string, number>();
  const isFirst = ({ table, key, value }: RowWrite): boolean => {
    if ((table.name as string) !== alarms.name || value === undefined) return true;
    const { actor, what } = key as unknown as { readonly actor: string; readonly what: string };
    if (!actor.startsWith('account/')) return true;
    const { atMs } = value as unknown as { readonly atMs: number };
    const name = `${actor} ${what}`;
    const knownMs = setMs.get(name) ?? atMs;
    setMs.set(name, knownMs);
    return knownMs === atMs;
  };
  return {
    tables: (tables) =>
      tablesWith(tables, {
        write: (rows, options) => {
          const kept = rows.filter(isFirst);
          return kept.length === 0 ? Promise.resolve() : tables.write(kept, options);
        },
      }),
  };
}

/** Faults that publish scheduled statuses at another time than their authors asked for, or never. */
export const scheduleFaults = {
  'alarms that post without checking that their status is still scheduled': {
    profile: 'everything',
    invariant: 'schedulesAreKept',
    seed: 1,
    plant: alarmsPostBlindly,
  },
  'rescheduled statuses without a new alarm': {
    profile: 'everything',
    invariant: 'schedulesAreKept',
    seed: 1,
    plant: alarmsDoNotMove,
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
