import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { accounts } from '../../../store/tables.js';
import { findAccount } from '../../discovery/find-remote.js';
import type { Services } from '../../http/services.js';
import type { Account } from '../../pages/account/account.js';
import { withTarget } from '../../pages/account/moved.js';
import { type PageBounds, pageBounds, pageQuery } from '../../paging/bounds.js';
import type { Page } from '../../paging/page.js';
import { notFound, publishedAccount } from '../../viewing/visible.js';

/** `name`, or `name@host` for people of other servers. A name that nobody can have gets a 404. */
export const personParams = {
  name: Type.String({ pattern: '^[A-Za-z0-9_.-]+(@[A-Za-z0-9.:-]+)?$', maxLength: 300 }),
};

/**
 * Returns the account at `/@name`. A missing, a hidden and a suspended account get the same 404; a deleted one gets a 410.
 * Nobody makes this server ask others by opening a page. @throws Unavailable
 */
export async function personNamed(services: Services, name: string): Promise<StoreAccountRecord | Problem> {
  const id = await findAccount(services, name, false);
  const record = id === undefined ? undefined : await services.tables.get(accounts, { account: id });
  if (record === undefined || isSuspended(record)) return notFound();
  if (record.removed === true) return problem('gone', 'This account was deleted');
  return publishedAccount(services, record.id);
}

/** Returns the JSON of the account as the API shows it to everybody, with the account to which it moved. */
export async function accountPieces(services: Services, record: StoreAccountRecord): Promise<readonly Uint8Array[]> {
  const bytes = services.pages.account(record);
  const target = record.movedTo === undefined ? undefined : await publishedAccount(services, record.movedTo.id);
  return target === undefined || isProblem(target) ? [bytes] : withTarget(services.pages, [bytes], target);
}

export const accountOf = (pieces: readonly Uint8Array[]): Account =>
  JSON.parse(Buffer.concat(pieces).toString()) as Account;

/** Returns the account as the API shows it to everybody. */
export const shownAccount = async (services: Services, record: StoreAccountRecord): Promise<Account> =>
  accountOf(await accountPieces(services, record));

/** Query of a page of a list. */
export const pagedQuery = pageQuery();
export const boundsOf = (query: Parameters<typeof pageBounds>[0]): PageBounds => pageBounds(query);

/** Returns the links to the newer and the older page. The first page has no newer one. */
export function neighbours(
  path: string,
  { before, upwards }: PageBounds,
  page: Pick<Page<unknown>, 'newest' | 'oldest' | 'more'>,
): { readonly newer: string | undefined; readonly older: string | undefined } {
  const isFirst = before === undefined && !upwards;
  return {
    newer: isFirst || page.newest === undefined ? undefined : `${path}?min_id=${page.newest}`,
    older: page.oldest === undefined || !page.more ? undefined : `${path}?max_id=${page.oldest}`,
  };
}
