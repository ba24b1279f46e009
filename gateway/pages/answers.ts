import { Type } from '@sinclair/typebox';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { JsonPieces } from '../http/json-pieces.js';
import { type Answer, json, type Request } from '../http/route.js';
import type { Services } from '../http/services.js';
import { idText, linkHeaders, type PageBounds, pathOf } from '../paging/bounds.js';
import { emptyPage, type Page } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { ACCOUNT_PLACES, showsAccount } from '../viewing/judge-accounts.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { lensOf } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { withApproval } from './account/feature-approval.js';
import { targetsOf, withMove } from './account/moved.js';
import { arrayOf } from './status/status-pages.js';

/** `:id` of a path. A value that is no id gets a 404. */
export const idParams = Type.Object({ id: idText() });

type Asked = Pick<Request<unknown, unknown, unknown>, 'services' | 'viewer' | 'url'>;
type OtherParameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Answers with a page as JSON and its Link header. `keep` holds the request's other parameters. */
export function pageAnswer<T>(
  { services, url }: Asked,
  bounds: PageBounds,
  page: Omit<Page<unknown>, 'items'>,
  body: T,
  keep: OtherParameters = {},
): Answer<T> {
  const path = pathOf(url);
  const { newest, oldest, more } = page;
  const options = { baseUrl: services.instance.baseUrl, path, keep, limit: bounds.limit, newest, oldest, more };
  return json(body, linkHeaders(options));
}

/** Answers with a page of a timeline. */
export function statusPage(
  asked: Asked,
  bounds: PageBounds,
  page: Page<VisibleStatus>,
  keep: OtherParameters = {},
): Soon<Answer<JsonPieces>> {
  const { services, viewer } = asked;
  return soon(services.pages.list(services, viewer, page.items), (list) => pageAnswer(asked, bounds, page, list, keep));
}

/** Answers with a page of accounts by edges, without accounts that are blocked in either direction. */
export function accountPage(
  asked: Asked,
  bounds: PageBounds,
  page: Page<{ readonly accountId: string }>,
): Soon<Answer<JsonPieces>> {
  const ids = page.items.map((edge) => edge.accountId);
  return soon(shownAccounts(asked.services, asked.viewer, ids), (list) => pageAnswer(asked, bounds, page, list));
}

export const nothingAnswer = (asked: Asked, bounds: PageBounds): Answer<readonly []> =>
  pageAnswer(asked, bounds, emptyPage, [] as const);

/** Renders selected accounts as JSON. */
export const accountList = (
  services: Pick<Services, 'pages' | 'tables' | 'limits'>,
  records: readonly StoreAccountRecord[],
): Soon<Answer<JsonPieces>> =>
  soon(targetsOf(services, records), (targets) => {
    const { pages } = services;
    const items = records.map((record) => withMove(pages, [pages.account(record)], record, targets));
    return json(new JsonPieces(arrayOf(items)));
  });

/** Renders selected accounts, each with the permission of the viewer to add it to a collection. */
export function approvedAccounts(
  services: Pick<Services, 'pages' | 'lenses' | 'limits' | 'tables'>,
  viewer: string | undefined,
  records: readonly (StoreAccountRecord | undefined)[],
): Soon<Uint8Array[]> {
  return soon(lensOf(services, viewer), (lens) =>
    soon(targetsOf(services, records), (targets) => {
      const { pages } = services;
      const shown = records.map((record) => {
        if (record === undefined) return undefined;
        return withMove(pages, withApproval(pages, record, viewer, lens.relation(record.id)), record, targets);
      });
      return arrayOf(shown);
    }),
  );
}

function shownAccounts(
  services: Pick<Services, 'pages' | 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  ids: readonly string[],
): Soon<JsonPieces> {
  return soon(loadAccounts(services, ids), (records) =>
    soon(lensOf(services, viewer), (lens) => {
      const shown = ids.map((id) => {
        const record = records.get(id);
        return record !== undefined && showsAccount(record, lens, ACCOUNT_PLACES.page) ? record : undefined;
      });
      return soon(approvedAccounts(services, viewer, shown), (pieces) => new JsonPieces(pieces));
    }),
  );
}
