import type { AnyRoute } from '../http/route.js';
import { actorRoutes } from './actors.js';
import { collectionDocumentRoutes } from './collections.js';
import { featureStampRoutes } from './feature-stamps.js';
import { featuredAccountsRoutes } from './featured-accounts.js';
import { featuredCollectionRoutes } from './featured-collections.js';
import { followersSynchronizationRoutes } from './followers-synchronization.js';
import { withPages } from './for-browsers.js';
import { inboxRoutes } from './inbox.js';
import { quoteStampRoutes } from './quote-stamps.js';
import { statusCollectionRoutes } from './status-collections.js';
import { statusDocumentRoutes } from './statuses.js';
import { webFingerRoutes } from './web-finger.js';

/** Everything that other servers request. */
export const activityPubRoutes: readonly AnyRoute[] = withPages([
  ...actorRoutes,
  ...collectionDocumentRoutes,
  ...featuredAccountsRoutes,
  ...featureStampRoutes,
  ...featuredCollectionRoutes,
  ...followersSynchronizationRoutes,
  ...inboxRoutes,
  ...statusDocumentRoutes,
  ...statusCollectionRoutes,
  ...quoteStampRoutes,
  ...webFingerRoutes,
]);
