import { collectionPath } from '../../actors/domain/addresses.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { accounts } from '../../store/tables.js';
import { prefersDocument } from '../http/accept.js';
import { type Answer, type AnyRoute, type Request, redirect } from '../http/route.js';
import type { Services } from '../http/services.js';
import type { Soon } from '../paging/soon.js';
import { notFound, visibleStatus } from '../viewing/visible.js';

type Asked = Request<Readonly<Record<string, string>>, unknown, unknown>;

/** Pages that show people what the documents at these paths tell servers. */
const PAGES: Readonly<Record<string, (asked: Asked) => Soon<Answer | Problem>>> = {
  '/actor': () => redirect('/about'),
  '/users/:name/outbox': ({ params }) => redirect(`/@${params.name}`),
  '/users/:name/followers': ({ params }) => redirect(`/@${params.name}/followers`),
  '/users/:name/following': ({ params }) => redirect(`/@${params.name}/following`),
  '/users/:name/collections/featured': ({ params }) => redirect(`/@${params.name}`),
  '/users/:name/collections/tags': ({ params }) => redirect(`/@${params.name}`),
  '/users/:name/collections/accounts': ({ params }) => redirect(`/@${params.name}`),
  '/users/:name/collections/:id': ({ params }) => redirect(collectionPath(params.id ?? '')),
  '/users/:name/featured_collections': ({ params }) => redirect(`/@${params.name}`),
  '/users/:name/statuses/:id/replies': ({ params }) => redirect(`/@${params.name}/${params.id}`),
  '/users/:name/statuses/:id/likes': ({ params }) => redirect(`/@${params.name}/${params.id}`),
  '/users/:name/statuses/:id/shares': ({ params }) => redirect(`/@${params.name}/${params.id}`),
  '/contexts/:id': ({ services, params }) => pageOfStatus(services, params.id ?? ''),
};

/** Leads browsers from documents to the pages of the same things. Routes without such a page stay as they are. */
export function withPages(routes: readonly AnyRoute[]): readonly AnyRoute[] {
  return routes.map((entry) => {
    const page = PAGES[entry.path];
    if (page === undefined || entry.method !== 'GET') return entry;
    const handle: AnyRoute['handle'] = (request) =>
      prefersDocument(request.headers.accept) ? entry.handle(request) : page(request as unknown as Asked);
    return { ...entry, handle };
  });
}

async function pageOfStatus(services: Services, id: string): Promise<Answer | Problem> {
  const seen = await visibleStatus(services, undefined, id);
  if (isProblem(seen)) return seen;
  const author = await services.tables.get(accounts, { account: seen.record.accountId });
  if (author === undefined) return notFound();
  const at = author.domain === '' ? author.username : `${author.username}@${author.domain}`;
  return redirect(`/@${at}/${id}`);
}
