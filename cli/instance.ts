import { isId, storedId } from '../actors/domain/ids.js';
import { isProblem } from '../actors/domain/problem.js';
import type { Node } from '../compose/node.js';
import { AUDIT_MAX, type AuditedAct, auditOf } from '../gateway/moderation/audit.js';
import { putEntry, removeEntry } from '../gateway/settings/changes.js';
import { SETTINGS } from '../gateway/settings/names.js';
import { Refused } from './refused.js';
import { type Declare, printLine, type WithRun } from './running.js';

/** Operations of the command line on the instance. */
export interface InstanceOperations {
  'instance.put': { in: NewEntry; out: { id: string } };
  'instance.remove': { in: { collection: string; id: string }; out: object };
  'instance.audit': { in: { limit: number; before?: string }; out: { acts: readonly AuditedAct[] } };
  'instance.list': { in: { collection: string }; out: { entries: readonly object[] } };
}
type Listed = Editable | 'ip_blocks';
type Editable = 'rules' | 'announcements' | 'settings' | 'terms';

export interface NewEntry {
  readonly collection: string;
  /** The name of a setting, or the effective day of terms. */
  readonly key?: string;
  readonly text: string;
  readonly hint?: string;
  /** Times of an announcement in ISO 8601. */
  readonly startsAt?: string;
  readonly endsAt?: string;
  /** An announcement is about whole days. */
  readonly allDay?: boolean;
}

const AUDIT_DEFAULT = 50;
const EDITABLE: readonly string[] = ['rules', 'announcements', 'settings', 'terms'];

function editable(collection: unknown): Editable {
  if (!EDITABLE.includes(String(collection))) throw new Refused(`there are ${EDITABLE.join(', ')} to change`);
  return collection as Editable;
}

/** Like `editable`, but also accepts blocks of addresses: a block may have shut out its own creator. */
function listed(collection: unknown): Listed {
  return collection === 'ip_blocks' ? collection : editable(collection);
}

function timeIn(text: string | undefined, name: 'start' | 'end'): number {
  const atMs = text === undefined ? 0 : Date.parse(text);
  if (Number.isNaN(atMs)) throw new Refused(`the ${name} must be a time such as 2026-12-31T12:00:00Z`);
  return atMs;
}

/** Implements the operations on a node. */
export const instanceOperations: {
  readonly [K in keyof InstanceOperations]: (
    node: Node,
    input: InstanceOperations[K]['in'],
  ) => Promise<InstanceOperations[K]['out']>;
} = {
  async 'instance.put'(
    { services },
    { collection: name, key = '', text, hint = '', startsAt, endsAt, allDay = false },
  ) {
    const collection = editable(name);
    if (typeof text !== 'string' || text.trim() === '') throw new Refused('a text is needed');
    const startsAtMs = timeIn(startsAt, 'start');
    const endsAtMs = timeIn(endsAt, 'end');
    const content =
      collection === 'announcements'
        ? { announcement: { text, allDay: allDay === true, startsAtMs, endsAtMs } }
        : { text: { text, hint } };
    const made = await putEntry(services, '', { collection, key, replace: key !== '', ...content });
    if (isProblem(made)) throw new Refused(made.detail);
    return { id: made.id };
  },
  async 'instance.remove'({ services }, { collection, id }) {
    const gone = await removeEntry(services, '', listed(collection), String(id));
    if (isProblem(gone)) throw new Refused(gone.detail);
    return {};
  },
  async 'instance.audit'({ services }, { limit, before }) {
    if (!Number.isInteger(limit) || limit < 1 || limit > AUDIT_MAX) throw new Refused(`the limit is 1 to ${AUDIT_MAX}`);
    if (before !== undefined && !isId(before)) throw new Refused('before must be the id of an audit entry');
    return { acts: await auditOf(services, limit, before === undefined ? undefined : storedId(before)) };
  },
  async 'instance.list'({ services }, { collection }) {
    const entries = await services.entries.of(listed(collection));
    return {
      entries: entries.map(({ id, key, text, announcement, address }) => ({
        id,
        ...(key === '' ? {} : { key }),
        text: text?.text ?? announcement?.text ?? address?.severity ?? '',
      })),
    };
  },
};

/** Adds `instance set|add|list|remove` to the program. */
export function addInstanceCommands(command: Declare, withRun: WithRun<InstanceOperations>): void {
  const names = Object.keys(SETTINGS).join(', ');
  command('set <name> <text>', `change a setting of the instance: ${names}`).action((key, text, flags) =>
    withRun(flags, async (run) => printLine(await run('instance.put', { collection: 'settings', key, text }))),
  );
  command('add <collection> <text>', 'add to rules, announcements or terms')
    .option('--hint <text>', 'an explanation of a rule')
    .option('--from <day>', 'the day from which terms are in effect')
    .option('--starts-at <time>', 'when an announcement starts')
    .option('--ends-at <time>', 'when an announcement ends')
    .option('--all-day', 'an announcement is about whole days')
    .action((collection, text, flags) =>
      withRun(flags, async (run) => {
        const { hint, from, startsAt, endsAt } = flags as Partial<Record<string, string>>;
        const options = {
          ...(hint === undefined ? {} : { hint }),
          ...(from === undefined ? {} : { key: from }),
          ...(startsAt === undefined ? {} : { startsAt }),
          ...(endsAt === undefined ? {} : { endsAt }),
          ...((flags as { allDay?: boolean }).allDay === true ? { allDay: true } : {}),
        };
        printLine(await run('instance.put', { collection, text, ...options }));
      }),
    );
  command('list <collection>', 'print rules, announcements, settings, terms or ip_blocks').action((collection, flags) =>
    withRun(flags, async (run) => printLine((await run('instance.list', { collection })).entries)),
  );
  command('audit', 'print actions of moderators, one per line, newest first')
    .option('--limit <count>', 'number of entries', String(AUDIT_DEFAULT))
    .option('--before <id>', 'entries before this one')
    .action((flags) =>
      withRun(flags, async (run) => {
        const { limit, before } = flags as Partial<Record<string, string>>;
        const { acts } = await run('instance.audit', {
          limit: Number(limit),
          ...(before === undefined ? {} : { before }),
        });
        for (const act of acts) printLine(act);
      }),
    );
  command('remove <collection> <id>', 'remove one').action((collection, id, flags) =>
    withRun(flags, async (run) => printLine(await run('instance.remove', { collection, id }))),
  );
}
