import type { StoreAccountRecord } from '../../../proto/gen/types.js';
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
