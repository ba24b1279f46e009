import type { AnyRoute } from '../http/route.js';
import { aboutPageRoutes } from './about-pages.js';
import { accountRoutes } from './accounts.js';
import { adminAccountRoutes } from './admin-accounts.js';
import { adminBlockRoutes } from './admin-blocks.js';
import { adminMetricRoutes } from './admin-metrics.js';
import { adminTrendRoutes } from './admin-trends.js';
import { announcementRoutes } from './announcements.js';
import { annualReportRoutes } from './annual-reports.js';
import { appRoutes } from './apps.js';
import { authPageRoutes } from './auth-pages.js';
import { authorizeRoutes } from './authorize.js';
import { collectionRoutes } from './collections.js';
import { conversationRoutes } from './conversations.js';
import { credentialRoutes } from './credentials.js';
import { customEmojiRoutes } from './custom-emojis.js';
import { domainBlockRoutes } from './domain-blocks.js';
import { featuredTagRoutes } from './featured-tags.js';
import { filterRoutes } from './filters.js';
import { followRoutes } from './follows.js';
import { groupedNotificationRoutes } from './grouped-notifications.js';
import { imageRoutes } from './images.js';
import { instanceRoutes } from './instance.js';
import { markerRoutes } from './markers.js';
import { mediaRoutes } from './media.js';
import { mediaFileRoutes } from './media-files.js';
import { mediaIndexRoutes } from './media-index.js';
import { muteRoutes } from './mutes.js';
import { notOfferedRoutes } from './not-offered.js';
import { notificationPolicyRoutes } from './notification-policy.js';
import { notificationRoutes } from './notifications.js';
import { oembedRoutes } from './oembed.js';
import { oldTimelineRoutes } from './old-timelines.js';
import { openApiRoutes } from './open-api.js';
import { passwordRoutes } from './passwords.js';
import { peopleRoutes } from './people.js';
import { pollRoutes } from './polls.js';
import { profileRoutes } from './profile.js';
import { pushRoutes } from './push.js';
import { quietConversationRoutes } from './quiet-conversations.js';
import { quoteRoutes } from './quotes.js';
import { reportRoutes } from './reports.js';
import { scheduledStatusRoutes } from './scheduled-statuses.js';
import { searchRoutes } from './search.js';
import { sessionRoutes } from './sessions.js';
import { signUpRoutes } from './sign-up.js';
import { statusEditRoutes } from './status-edits.js';
import { statusMarkRoutes } from './status-marks.js';
import { statusPinRoutes } from './status-pins.js';
import { statusRoutes } from './statuses.js';
import { suggestionRoutes } from './suggestions.js';
import { tagRoutes } from './tags.js';
import { timelineRoutes } from './timelines.js';
import { tokenRoutes } from './token.js';
import { trendRoutes } from './trends.js';
import { userListRoutes } from './user-lists.js';
import { v1FilterRoutes } from './v1-filters.js';

const routes: readonly AnyRoute[] = [
  ...aboutPageRoutes,
  ...accountRoutes,
  ...adminAccountRoutes,
  ...adminBlockRoutes,
  ...adminMetricRoutes,
  ...adminTrendRoutes,
  ...announcementRoutes,
  ...appRoutes,
  ...authPageRoutes,
  ...authorizeRoutes,
  ...collectionRoutes,
  ...conversationRoutes,
  ...credentialRoutes,
  ...customEmojiRoutes,
  ...domainBlockRoutes,
  ...featuredTagRoutes,
  ...filterRoutes,
  ...followRoutes,
  ...groupedNotificationRoutes,
  ...imageRoutes,
  ...instanceRoutes,
  ...markerRoutes,
  ...mediaFileRoutes,
  ...mediaIndexRoutes,
  ...mediaRoutes,
  ...muteRoutes,
  ...notificationPolicyRoutes,
  ...notOfferedRoutes,
  ...annualReportRoutes,
  ...notificationRoutes,
  ...oldTimelineRoutes,
  ...pollRoutes,
  ...oembedRoutes,
  ...quoteRoutes,
  ...quietConversationRoutes,
  ...searchRoutes,
  ...peopleRoutes,
  ...passwordRoutes,
  ...profileRoutes,
  ...pushRoutes,
  ...reportRoutes,
  ...scheduledStatusRoutes,
  ...signUpRoutes,
  ...sessionRoutes,
  ...statusEditRoutes,
  ...statusMarkRoutes,
  ...statusPinRoutes,
  ...statusRoutes,
  ...suggestionRoutes,
  ...tagRoutes,
  ...timelineRoutes,
  ...tokenRoutes,
  ...trendRoutes,
  ...userListRoutes,
  ...v1FilterRoutes,
];

/** Every route of the gateway, in one list. */
export const allRoutes: readonly AnyRoute[] = [...routes, ...openApiRoutes(routes)];
