import { Type } from '@sinclair/typebox';
import { accountUri } from '../../actors/domain/addresses.js';
import { isProblem } from '../../actors/domain/problem.js';
import { isSuspended } from '../../actors/domain/standing.js';
import { originOf } from '../../actors/federation/reading/uris.js';
import { partialFollowers, synchronizationUrl } from '../../actors/federation/synchronization/partial-followers.js';
import { type AnyRoute, route } from '../http/route.js';
import { notFound } from '../viewing/visible.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { ownerNamed } from './owners.js';
import { signerOf, unsigned } from './signer.js';

/** The followers of a person on the signer's server, all of them, for that server alone. Source: FEP-8fcf. */
const followersSynchronization = route({
  method: 'GET',
  path: '/users/:name/followers_synchronization',
  auth: 'none',
  params: Type.Object(nameParams),
  handle: async (request) => {
    const { services, params } = request;
    const origin = originOf((await signerOf(request))?.origin?.uri ?? '');
    if (origin === undefined) return unsigned();
    const owner = await ownerNamed(services, params.name);
    if (isProblem(owner)) return owner;
    const orderedItems = isSuspended(owner) ? [] : await partialFollowers(services.tables, owner.id, origin);
    // A part of the list would end follows.
    if (orderedItems === undefined) return notFound();
    const id = synchronizationUrl(accountUri(services.instance.baseUrl, owner));
    return activityAnswer({ id, type: 'OrderedCollection', totalItems: orderedItems.length, orderedItems }, false);
  },
});

export const followersSynchronizationRoutes: readonly AnyRoute[] = [followersSynchronization];
