import { collectionPath } from '../../../actors/domain/addresses.js';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { collectionDocument } from '../../activitypub/featured-collections.js';
import { documentOrPage } from '../../activitypub/signer.js';
import { cachedPage } from '../../html/cached-page.js';
import { collectionPage } from '../../html/pages/collection-page.js';
import { siteOf } from '../../html/site.js';
import { type Answer, type AnyRoute, type Request, route } from '../../http/route.js';
import { idParams } from '../../pages/answers.js';
import { renderCollection } from '../../pages/status/collection.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { visibleCollection } from '../../viewing/visible-collections.js';
import { accountOf } from './finding.js';
import { readerOf } from './reader.js';

type Asked = Request<{ readonly id: string }, unknown, unknown>;

/** Shows a collection as everybody sees it, whoever reads. */
async function show(request: Asked): Promise<Answer | Problem> {
  const { services, params } = request;
  const seen = await visibleCollection(services, undefined, storedId(params.id));
  if (isProblem(seen)) return seen;
  const { record, owner, items } = seen;
  const [site, reader, people] = await Promise.all([
    siteOf(services),
    readerOf(request),
    loadAccounts(
      services,
      items.map(({ account }) => account),
    ),
  ]);
  const jsonOf = services.pages.account.bind(services.pages);
  const ownPieces = jsonOf(owner);
  const members = items.flatMap(({ account }) => people.get(account) ?? []).map(jsonOf);
  const parts = ['collection', record.text, record.updatedAtMs, items, ownPieces, ...members];
  return cachedPage({ site, reader, parts }, (to) =>
    collectionPage(site, to, {
      ...{ collection: renderCollection(services.instance, seen), path: collectionPath(record.id) },
      ...{ owner: accountOf([ownPieces]), members: members.map((one) => accountOf([one])) },
    }),
  );
}

/** The page of a collection; the document for other servers. It is the `url` that the API gives. */
const collection = route({
  method: 'GET',
  path: '/collections/:id',
  auth: 'none',
  params: idParams,
  handle: documentOrPage<{ id: string }, unknown, unknown>(
    ({ services, params }) => collectionDocument(services, params.id),
    show,
  ),
});

export const collectionPageRoutes: readonly AnyRoute[] = [collection];
