import { Journal } from '../../store/journal.js';
import { put } from '../../store/port.js';
import { cursors } from '../../store/tables.js';
import type { Ground } from './node.js';
import type { SimulationOptions } from './run.js';

/** How long a forgetful node keeps an entry to itself after it said that it was stored. */
const FORGETFUL_MS = 400;

/** Says that an entry is stored, lets effects and reply go, and stores it a moment later. */
const effectBeforeAppend: Ground['bend'] = (tables, world, process) => {
  const journal = new Journal(tables);
  return {
    tables,
    journal: {
      read: (actor, afterSeq, epoch) => journal.read(actor, afterSeq, epoch),
      isCertain: (actor, epoch) => journal.isCertain(actor, epoch),
      trim: (...args) => journal.trim(...args),
      append: async (actor, afterSeq, epoch, records, alongside) => {
        world.at(FORGETFUL_MS, process, () => {
          journal.append(actor, afterSeq, epoch, records, alongside).catch(() => undefined);
        });
      },
    },
  };
};

/** Moves the cursor past an entry when the entry is stored, not when its effects are done. */
const cursorTooEarly: Ground['bend'] = (tables) => {
  const journal = new Journal(tables);
  return {
    tables,
    journal: {
      read: (actor, afterSeq, epoch) => journal.read(actor, afterSeq, epoch),
      isCertain: (actor, epoch) => journal.isCertain(actor, epoch),
      trim: (...args) => journal.trim(...args),
      append: async (actor, afterSeq, epoch, records, alongside) => {
        const last = afterSeq + records.length;
        const cursor = put(cursors, { actor }, { beforeReply: last, afterReply: last });
        await journal.append(actor, afterSeq, epoch, records, [...(alongside ?? []), cursor]);
      },
    },
  };
};

/** Bugs of the kind that the simulation is there for; each must be found. */
export const plantedBugs: Readonly<Record<string, Omit<SimulationOptions, 'seed'>>> = {
  'an effect sent before its append': { bend: effectBeforeAppend },
  'a cursor saved too early': { bend: cursorTooEarly },
  'a lease without margin': { profile: 'leases', rules: { marginMs: 0, validFrom: 'answered' } },
  'a takeover that ignores an unexpired lease': { profile: 'leases', rules: { watchMs: 2_600 } },
};
