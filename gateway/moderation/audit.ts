import { eraOfMs, isId } from '../../actors/domain/ids.js';
import { auditLog } from '../../store/moderation-tables.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { accounts } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { isoTime } from '../paging/iso-time.js';
import { FIRST_ERA } from './listed-accounts.js';

/** One action of a moderator or the operator. */
export interface AuditedAct {
  readonly id: string;
  readonly at: string;
  /** The moderator's name; `operator` for the command line; the address of a block list. */
  readonly by: string;
  readonly action: string;
  /** Id of an account, a report or an entry. */
  readonly target: string;
  /** Name of the target if it is an account; otherwise `detail` describes the action. */
  readonly name?: string;
  readonly detail?: string;
}

/** Largest number of actions in one answer: one read of the store. */
export const AUDIT_MAX = RANGE_LIMIT_MAX;

/** Returns actions, last first. `before` is an exclusive upper bound of ids. @throws Unavailable */
export async function auditOf(
  services: Pick<Services, 'tables' | 'clock'>,
  limit: number,
  before?: string,
): Promise<AuditedAct[]> {
  const { tables, clock } = services;
  const wanted = Math.min(limit, AUDIT_MAX);
  const found: { id: string; by: string; action: string; target: string; detail: string; atMs: number }[] = [];
  for (let era = eraOfMs(clock.nowMs()); era >= FIRST_ERA && found.length < wanted; era--) {
    const bound = before === undefined ? {} : { before: { entry: before } };
    const range = { ...bound, reverse: true, limit: wanted - found.length };
    for (const { key, value } of await tables.range(auditLog, { era }, range)) found.push({ id: key.entry, ...value });
  }
  const ids = [...new Set(found.flatMap(({ by, target }) => [by, target]))].filter(isId);
  const people = await tables.getMany(
    accounts,
    ids.map((account) => ({ account })),
  );
  const names = new Map(ids.map((id, index) => [id, people[index]?.username]));
  return found.map(({ id, by, action, target, detail, atMs }) => {
    const name = names.get(target);
    return {
      id,
      at: isoTime(atMs),
      by: by === '' ? 'operator' : (names.get(by) ?? by),
      action,
      target,
      ...(name === undefined ? {} : { name }),
      ...(detail === '' ? {} : { detail }),
    };
  });
}
