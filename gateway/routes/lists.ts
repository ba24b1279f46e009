import { Type } from '@sinclair/typebox';
import { isPublished, isSuspended, renderAccount } from '../entities/account.js';
import { loadAccounts } from '../entities/status.js';
import { idText, linkHeaders, type PageBounds } from '../http/paging.js';
import { type Answer, json, type Request } from '../http/route.js';
import type { Services } from '../services.js';
import { emptyPage, type Page } from '../timelines/page.js';
import { relationsOf, type VisibleStatus } from '../visible.js';

/** `:id` of a path; what is no id leads nowhere. */
export const idParams = Type.Object({ id: idText() });

/** Ids as they are stored: 18 digits. */
export const storedId = (id: string): string => id.padStart(18, '0');

type Asked = Pick<Request<unknown, unknown, unknown>, 'services' | 'viewer' | 'url'>;
type Kept = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A page as JSON, with its Link. `keep`: the request's other parameters. */
export function pageAnswer(
  { services, url }: Asked,
  bounds: PageBounds,
  page: Omit<Page<unknown>, 'items'>,
  body: unknown,
  keep: Kept = {},
): Answer {
  const path = url.split('?', 1)[0] ?? url;
  const { newest, oldest, more } = page;
  const options = { baseUrl: services.instance.baseUrl, path, keep, limit: bounds.limit, newest, oldest, more };
  return json(body, linkHeaders(options));
}

/** A timeline's page. */
export async function statusPage(
  asked: Asked,
  bounds: PageBounds,
  page: Page<VisibleStatus>,
  keep: Kept = {},
): Promise<Answer> {
  const { services, viewer } = asked;
  return pageAnswer(asked, bounds, page, await services.pages.list(services, viewer, page.items), keep);
}

/** A page of a list of accounts by edges; without those whom the viewer blocks or who block the viewer. */
export async function accountPage(
  asked: Asked,
  bounds: PageBounds,
  page: Page<{ readonly accountId: string }>,
): Promise<Answer> {
  const ids = page.items.map((edge) => edge.accountId);
  return pageAnswer(asked, bounds, page, await shownAccounts(asked.services, asked.viewer, ids));
}

export const nothingAnswer = (asked: Asked, bounds: PageBounds): Answer => pageAnswer(asked, bounds, emptyPage, []);

async function shownAccounts(services: Services, viewer: string | undefined, ids: readonly string[]) {
  const [records, relations] = await Promise.all([loadAccounts(services, ids), relationsOf(services, viewer)]);
  return ids.flatMap((id) => {
    const record = records.get(id);
    const relation = relations(id);
    if (
      record === undefined ||
      !isPublished(record) ||
      isSuspended(record) ||
      relation?.blocking ||
      relation?.blockedBy
    )
      return [];
    return [renderAccount(services.instance, record)];
  });
}
