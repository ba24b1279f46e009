import { storedId } from '../../actors/domain/ids.js';
import { invalidField, type Problem, problem } from '../../actors/domain/problem.js';
import { INSTANCE_ID } from '../../actors/instance/commands.js';
import type { Collection } from '../../actors/instance/entries.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import { RATE_RULES, rateRules } from '../http/limits/rate-rules.js';
import type { Services } from '../http/services.js';
import { AUDIENCE_SETTINGS, AUDIENCES, SETTINGS } from './names.js';

/** Content of a new or changed entry; an absent field stays as it is, or empty. */
export type EntryContent = Partial<
  Pick<InstanceEntry, 'text' | 'domain' | 'address' | 'announcement' | 'relay' | 'blockList'>
>;

export interface EntryChange extends EntryContent {
  readonly collection: Collection;
  /** Absent: a new entry. */
  readonly id?: string;
  readonly key?: string;
  /** An entry with the same key is replaced. */
  readonly replace?: boolean;
}

/** Longest text of a rule, an announcement or a policy: some pages. */
export const ENTRY_TEXT_CHARS_MAX = 50_000;

const isAudience = (text: string | undefined): boolean => AUDIENCES.some((one) => one === text);

/** Writes an entry for `by` (an account's id, or empty for the operator); durable when resolved. */
export async function putEntry(
  services: Pick<Services, 'askInstance'>,
  by: string,
  change: EntryChange,
  once?: string,
): Promise<InstanceEntry | Problem> {
  const { collection, id = '', key = '', replace = false, ...content } = change;
  if (collection === 'settings' && !Object.hasOwn(SETTINGS, key))
    return problem('invalid', `There is no setting ${key}. The settings are ${Object.keys(SETTINGS).join(', ')}`);
  if (collection === 'settings' && key === 'rate_limits' && rateRules(change.text?.text) === undefined)
    return problem('invalid', `Limits must be on, off, or JSON with some of ${Object.keys(RATE_RULES).join(', ')}`);
  if (collection === 'settings' && AUDIENCE_SETTINGS.some((one) => one === key) && !isAudience(content.text?.text))
    return problem('invalid', `The value must be one of ${AUDIENCES.join(', ')}`);
  if (collection === 'terms' && !/^\d{4}-\d\d-\d\d$/.test(key))
    return problem('invalid', 'Terms need the day on which they take effect, as 2026-12-31');
  if ((content.text?.text ?? content.announcement?.text ?? '').length > ENTRY_TEXT_CHARS_MAX)
    return problem('invalid', 'The text is too long');
  const { startsAtMs = 0, endsAtMs = 0 } = content.announcement ?? {};
  if (endsAtMs !== 0 && endsAtMs <= startsAtMs)
    return invalidField('ends_at', 'Ends at', 'must be later than the start');
  const entry = { collection, id, key, atMs: 0, updatedAtMs: 0, ...content };
  return services.askInstance(INSTANCE_ID, 'putEntry', { entry, by, replace }, once);
}

/** Removes an entry and returns it; durable when resolved. */
export function removeEntry(services: Pick<Services, 'askInstance'>, by: string, collection: Collection, id: string) {
  return services.askInstance(INSTANCE_ID, 'removeEntry', { collection, id: storedId(id), by });
}
