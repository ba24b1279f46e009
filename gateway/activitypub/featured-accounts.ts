import { Type } from '@sinclair/typebox';
import { ENDORSEMENTS_MAX } from '../../actors/account/endorse.js';
import { accountUri } from '../../actors/domain/addresses.js';
import { isProblem } from '../../actors/domain/problem.js';
import { isSuspended, isThere } from '../../actors/domain/standing.js';
import { actorAddresses } from '../../actors/federation/documents/actor.js';
import { type AnyRoute, route } from '../http/route.js';
import { pageBounds } from '../paging/bounds.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { answered } from '../viewing/visible.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { ownerNamed } from './owners.js';
import { authorized } from './signer.js';

/**
 * Addresses of featured accounts, latest featured first: there are at most ENDORSEMENTS_MAX. The collection shows its size
 * only if its owner hides featured accounts.
 */
const featuredAccounts = route({
  method: 'GET',
  path: '/users/:name/collections/accounts',
  auth: 'none',
  params: Type.Object(nameParams),
  handle: authorized(async ({ services, params }) => {
    const owner = await ownerNamed(services, params.name);
    if (isProblem(owner)) return owner;
    const { baseUrl } = services.instance;
    const bounds = pageBounds({ limit: ENDORSEMENTS_MAX });
    const edges = isSuspended(owner) ? [] : answered(await services.askAccount(owner.id, 'endorsements', bounds)).edges;
    const ids = edges.map(({ account }) => account);
    const records = await loadAccounts(services, ids);
    const items = ids
      .flatMap((one) => records.get(one) ?? [])
      .filter(isThere)
      .map((one) => accountUri(baseUrl, one));
    const id = actorAddresses(accountUri(baseUrl, owner)).featuredAccounts;
    const shown = owner.profile?.hideFeatured === true ? {} : { items };
    return activityAnswer({ id, type: 'Collection', totalItems: items.length, ...shown });
  }),
});

export const featuredAccountsRoutes: readonly AnyRoute[] = [featuredAccounts];
