import { asLimited, isPublished, isSuspended } from '../../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { Services } from '../../http/services.js';
import { type Soon, soon } from '../../paging/soon.js';
import { loadAccounts, type People } from '../../viewing/people-at-hand.js';
import type { StatusPages } from '../status/status-pages.js';

const MOVED = Buffer.from(',"moved":');
const END = Buffer.from('}');

/** Adds the account to which an account moved to the JSON of the latter, whose last byte closes the object. */
export function withTarget(
  pages: Pick<StatusPages, 'account'>,
  account: readonly Uint8Array[],
  target: StoreAccountRecord,
): readonly Uint8Array[] {
  const last = account.at(-1);
  if (last === undefined) return account;
  return [...account.slice(0, -1), last.subarray(0, -1), MOVED, pages.account(target), END];
}

const NOBODY: People = new Map();

/** Loads the accounts to which some of these accounts moved; at once if none did, as nearly always. */
export function targetsOf(
  services: Pick<Services, 'tables' | 'limits'>,
  records: readonly (StoreAccountRecord | undefined)[],
): Soon<People> {
  const ids = records.flatMap((record) => (record?.movedTo === undefined ? [] : record.movedTo.id));
  if (ids.length === 0) return NOBODY;
  return soon(loadAccounts(services, ids), (found) => {
    const shown = [...found.values()].filter(isPublished);
    return new Map(shown.map((record) => [record.id, asLimited(record, services.limits.domains)]));
  });
}

/** Adds the target of a move to the JSON of an account, if it moved. */
export function withMove(
  pages: Pick<StatusPages, 'account'>,
  account: readonly Uint8Array[],
  record: StoreAccountRecord,
  targets: People,
): readonly Uint8Array[] {
  const target = record.movedTo === undefined || isSuspended(record) ? undefined : targets.get(record.movedTo.id);
  return target === undefined ? account : withTarget(pages, account, target);
}
