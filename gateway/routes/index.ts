import type { AnyRoute } from '../http/route.js';
import { accountRoutes } from './accounts.js';
import { followRoutes } from './follows.js';
import { imageRoutes } from './images.js';
import { instanceRoutes } from './instance.js';
import { notificationRoutes } from './notifications.js';
import { statusRoutes } from './statuses.js';
import { timelineRoutes } from './timelines.js';

/** Every route of the gateway, in one list. */
export const allRoutes: readonly AnyRoute[] = [
  ...accountRoutes,
  ...followRoutes,
  ...imageRoutes,
  ...instanceRoutes,
  ...notificationRoutes,
  ...statusRoutes,
  ...timelineRoutes,
];
