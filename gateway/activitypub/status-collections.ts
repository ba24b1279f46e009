import { type Static, Type } from '@sinclair/typebox';
import { accountUri, contextUri, isLocal, statusUri } from '../../actors/domain/addresses.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { isSuspended } from '../../actors/domain/standing.js';
import { countDocument, statusAddresses } from '../../actors/federation/documents/note.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { type Answer, type AnyRoute, type Request, route } from '../http/route.js';
import type { Services } from '../http/services.js';
import { boundOf, boundText, idText } from '../paging/bounds.js';
import { openWithGrafts } from '../viewing/grafts.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { answered, notFound, visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { ownerNamed } from './owners.js';
import { authorized } from './signer.js';
import { shownToSigner } from './status-for-signer.js';

/** Items of one page: bounds the work of one request. */
const PAGE_ITEMS = 40;

/** A page is requested by `page`, and continued behind `min_id`. */
const pageAsked = Type.Object({
  page: Type.Optional(Type.String({ maxLength: 10 })),
  min_id: Type.Optional(boundText()),
});

type PageAsked = Static<typeof pageAsked>;

/** A status whose collection is requested, as the signer sees it. */
interface Asked {
  readonly seen: VisibleStatus;
  readonly author: StoreAccountRecord;
  /** Address of the status. */
  readonly uri: string;
  /** Everybody may see the status. */
  readonly isPublic: boolean;
}

/**
 * Serves a collection of a status to those who may see the status. All others get the answer of a missing status.
 */
const serve = (
  name: keyof ReturnType<typeof statusAddresses>,
  render: (services: Services, asked: Asked, page: PageAsked) => Promise<object> | object,
): AnyRoute =>
  route({
    method: 'GET',
    path: `/users/:name/statuses/:id/${name}`,
    auth: 'none',
    params: Type.Object({ ...nameParams, id: idText() }),
    query: pageAsked,
    handle: authorized(async (request) => {
      const { services, params, query } = request;
      const author = await ownerNamed(services, params.name);
      if (isProblem(author)) return author;
      const asked = await askedStatus(request, author, params.id);
      return isProblem(asked) ? asked : activityAnswer(await render(services, asked, query), asked.isPublic);
    }),
  });

/** Returns a local status that is no reblog if the signer may see it. */
export async function askedStatus(
  request: Pick<Request<unknown, unknown, unknown>, 'headers' | 'target' | 'services'>,
  author: StoreAccountRecord,
  id: string,
): Promise<Asked | Problem> {
  const shown = await shownToSigner(request, id);
  if (isProblem(shown)) return shown;
  const { record } = shown.seen;
  if (record.accountId !== author.id || isSuspended(author) || record.reblogOfId !== undefined) return notFound();
  return { ...shown, author, uri: statusUri(request.services.instance.baseUrl, record, author) };
}

/** Public and unlisted answers, oldest first: other servers complete threads with them. */
const replies = serve('replies', (services, { seen: { record }, uri }, query) => {
  const { id: parentId, conversationId } = record;
  return statusesOf(services, { conversationId, parentId }, { id: statusAddresses(uri).replies }, query);
});

const likes = serve('likes', (_services, { seen: { record }, uri }) =>
  countDocument(statusAddresses(uri).likes, record.favourites),
);

const shares = serve('shares', (_services, { seen: { record }, uri }) =>
  countDocument(statusAddresses(uri).shares, record.reblogs),
);

/** Public and unlisted statuses of a conversation that began here. Source: FEP-7888. */
const context = route({
  method: 'GET',
  path: '/contexts/:id',
  auth: 'none',
  params: Type.Object({ id: idText() }),
  query: pageAsked,
  handle: authorized(async (request): Promise<Answer | Problem> => {
    const { services, params, query } = request;
    const shown = await shownToSigner(request, params.id);
    if (isProblem(shown)) return shown;
    const { id, conversationId, accountId } = shown.seen.record;
    const author = await services.tables.get(accounts, { account: accountId });
    if (id !== conversationId || author === undefined || !isLocal(author) || isSuspended(author)) return notFound();
    const { baseUrl } = services.instance;
    const named = { id: contextUri(baseUrl, id), attributedTo: accountUri(baseUrl, author) };
    return activityAnswer(await statusesOf(services, { conversationId, parentId: '' }, named, query), shown.isPublic);
  }),
});

interface Listed {
  readonly conversationId: string;
  readonly parentId: string;
}

/** Renders a collection of statuses that everybody may see, or one of its pages. */
async function statusesOf(
  services: Services,
  { conversationId, parentId }: Listed,
  named: { readonly id: string; readonly attributedTo?: string },
  { page, min_id }: PageAsked,
): Promise<object> {
  const { id } = named;
  if (page === undefined) return { ...named, type: 'Collection', first: `${id}?page=true` };
  const after = min_id === undefined ? '' : boundOf(min_id);
  const asked = { parentId, after, limit: PAGE_ITEMS };
  const { ids, more } =
    parentId === ''
      ? await openWithGrafts(services, conversationId, asked)
      : answered(await services.askConversation(conversationId, 'listOpen', asked));
  const last = ids.at(-1);
  return {
    id: `${id}?page=true${min_id === undefined ? '' : `&min_id=${min_id}`}`,
    type: 'CollectionPage',
    partOf: id,
    ...(more && last !== undefined ? { next: `${id}?page=true&min_id=${last}` } : {}),
    items: await addressesOf(services, ids),
  };
}

/** Returns the addresses of those statuses that everybody may see. */
async function addressesOf(services: Services, ids: readonly string[]): Promise<string[]> {
  const seen = await visibleById(services, undefined, ids);
  const records = seen.flatMap((status) => status?.record ?? []);
  const authors = await loadAccounts(
    services,
    records.map(({ accountId }) => accountId),
  );
  return records.flatMap((record) => {
    const author = authors.get(record.accountId);
    return author === undefined || isSuspended(author) ? [] : statusUri(services.instance.baseUrl, record, author);
  });
}

export const statusCollectionRoutes: readonly AnyRoute[] = [replies, likes, shares, context];
