import { activityPubRoutes } from '../activitypub/index.js';
import type { AnyRoute } from '../http/route.js';
import { accountRoutes } from './accounts/accounts.js';
import { collectionRoutes } from './accounts/collections.js';
import { credentialRoutes } from './accounts/credentials.js';
import { domainBlockRoutes } from './accounts/domain-blocks.js';
import { featuredTagRoutes } from './accounts/featured-tags.js';
import { followRoutes } from './accounts/follows.js';
import { muteRoutes } from './accounts/mutes.js';
import { peopleRoutes } from './accounts/people.js';
import { profileRoutes } from './accounts/profile.js';
import { suggestionRoutes } from './accounts/suggestions.js';
import { accountNoteRoutes } from './admin/account-notes.js';
import { adminAccountListRoutes } from './admin/admin-account-lists.js';
import { adminAccountRoutes } from './admin/admin-accounts.js';
import { adminBlockRoutes } from './admin/admin-blocks.js';
import { adminMetricRoutes } from './admin/admin-metrics.js';
import { adminTrendRoutes } from './admin/admin-trends.js';
import { reportRoutes } from './admin/reports.js';
import { annualReportRoutes } from './discovery/annual-reports.js';
import { customEmojiRoutes } from './discovery/custom-emojis.js';
import { notOfferedRoutes } from './discovery/not-offered.js';
import { oembedRoutes } from './discovery/oembed.js';
import { searchRoutes } from './discovery/search.js';
import { trendRoutes } from './discovery/trends.js';
import { assetRoutes } from './html/assets.js';
import { collectionPageRoutes } from './html/collections.js';
import { elsewhereRoutes } from './html/elsewhere.js';
import { frontPageRoutes } from './html/front.js';
import { listPageRoutes } from './html/lists.js';
import { devRoutes } from './html/mails.js';
import { accountPageRoutes } from './html/moderation/accounts.js';
import { blockPageRoutes } from './html/moderation/blocks.js';
import { clusterPageRoutes } from './html/moderation/cluster.js';
import { noticePageRoutes } from './html/moderation/notices.js';
import { reportPageRoutes } from './html/moderation/reports.js';
import { staffPageRoutes } from './html/moderation/staff.js';
import { trendPageRoutes } from './html/moderation/trends.js';
import { personPageRoutes } from './html/people.js';
import { postPageRoutes } from './html/posts.js';
import { ownAccountRoutes } from './html/settings/account.js';
import { applicationRoutes } from './html/settings/applications.js';
import { archiveRoutes } from './html/settings/archive.js';
import { featuredRoutes } from './html/settings/featured.js';
import { filterPageRoutes } from './html/settings/filters.js';
import { inviteRoutes } from './html/settings/invites.js';
import { moveRoutes } from './html/settings/moves.js';
import { preferenceRoutes } from './html/settings/preferences.js';
import { profileSettingRoutes } from './html/settings/profile.js';
import { relationPageRoutes } from './html/settings/relations.js';
import { suggestionPageRoutes } from './html/settings/suggestions.js';
import { transferRoutes } from './html/settings/transfer.js';
import { webFormRoutes } from './html/web/acting.js';
import { webEditRoutes } from './html/web/editing.js';
import { webPageRoutes } from './html/web/reading.js';
import { announcementRoutes } from './instance/announcements.js';
import { imageRoutes } from './instance/images.js';
import { instanceRoutes } from './instance/instance.js';
import { openApiRoutes } from './instance/open-api.js';
import { mediaRoutes } from './media/media.js';
import { mediaFileRoutes } from './media/media-files.js';
import { mediaIndexRoutes } from './media/media-index.js';
import { mediaProxyRoutes } from './media/media-proxy.js';
import { filterRoutes } from './notifications/filters.js';
import { groupedNotificationRoutes } from './notifications/grouped-notifications.js';
import { notificationPolicyRoutes } from './notifications/notification-policy.js';
import { notificationRoutes } from './notifications/notifications.js';
import { pushRoutes } from './notifications/push.js';
import { v1FilterRoutes } from './notifications/v1-filters.js';
import { appRoutes } from './oauth/apps.js';
import { authPageRoutes } from './oauth/auth-pages.js';
import { authorizeRoutes } from './oauth/authorize.js';
import { mailListRoutes } from './oauth/mail-lists.js';
import { passkeyRoutes } from './oauth/passkeys.js';
import { passwordRoutes } from './oauth/passwords.js';
import { secondFactorRoutes } from './oauth/second-factor.js';
import { sessionRoutes } from './oauth/sessions.js';
import { signUpRoutes } from './oauth/sign-up.js';
import { signUpPageRoutes } from './oauth/sign-up-pages.js';
import { tokenRoutes } from './oauth/token.js';
import { asyncRefreshRoutes } from './statuses/async-refreshes.js';
import { pollRoutes } from './statuses/polls.js';
import { quoteRoutes } from './statuses/quotes.js';
import { scheduledStatusRoutes } from './statuses/scheduled-statuses.js';
import { statusEditRoutes } from './statuses/status-edits.js';
import { statusMarkRoutes } from './statuses/status-marks.js';
import { statusPinRoutes } from './statuses/status-pins.js';
import { statusRoutes } from './statuses/statuses.js';
import { conversationRoutes } from './timelines/conversations.js';
import { userListRoutes } from './timelines/lists.js';
import { markerRoutes } from './timelines/markers.js';
import { quietConversationRoutes } from './timelines/muted-conversations.js';
import { oldTimelineRoutes } from './timelines/old-timelines.js';
import { tagRoutes } from './timelines/tags.js';
import { timelineRoutes } from './timelines/timelines.js';

const routes: readonly AnyRoute[] = [
  ...accountRoutes,
  ...activityPubRoutes,
  ...adminAccountListRoutes,
  ...adminAccountRoutes,
  ...accountNoteRoutes,
  ...adminBlockRoutes,
  ...adminMetricRoutes,
  ...adminTrendRoutes,
  ...announcementRoutes,
  ...applicationRoutes,
  ...appRoutes,
  ...archiveRoutes,
  ...authPageRoutes,
  ...assetRoutes,
  ...asyncRefreshRoutes,
  ...authorizeRoutes,
  ...collectionRoutes,
  ...conversationRoutes,
  ...credentialRoutes,
  ...customEmojiRoutes,
  ...domainBlockRoutes,
  ...elsewhereRoutes,
  ...featuredRoutes,
  ...featuredTagRoutes,
  ...filterRoutes,
  ...filterPageRoutes,
  ...collectionPageRoutes,
  ...frontPageRoutes,
  ...followRoutes,
  ...groupedNotificationRoutes,
  ...imageRoutes,
  ...instanceRoutes,
  ...listPageRoutes,
  ...markerRoutes,
  ...mediaFileRoutes,
  ...mediaIndexRoutes,
  ...mediaProxyRoutes,
  ...mediaRoutes,
  ...moveRoutes,
  ...muteRoutes,
  ...ownAccountRoutes,
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
  ...personPageRoutes,
  ...postPageRoutes,
  ...passwordRoutes,
  ...mailListRoutes,
  ...devRoutes,
  ...preferenceRoutes,
  ...profileRoutes,
  ...profileSettingRoutes,
  ...inviteRoutes,
  ...pushRoutes,
  ...relationPageRoutes,
  ...reportRoutes,
  ...reportPageRoutes,
  ...accountPageRoutes,
  ...blockPageRoutes,
  ...clusterPageRoutes,
  ...noticePageRoutes,
  ...trendPageRoutes,
  ...staffPageRoutes,
  ...scheduledStatusRoutes,
  ...signUpPageRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...signUpRoutes,
  ...sessionRoutes,
  ...statusEditRoutes,
  ...statusMarkRoutes,
  ...statusPinRoutes,
  ...statusRoutes,
  ...suggestionPageRoutes,
  ...suggestionRoutes,
  ...tagRoutes,
  ...timelineRoutes,
  ...tokenRoutes,
  ...transferRoutes,
  ...trendRoutes,
  ...userListRoutes,
  ...v1FilterRoutes,
  ...webFormRoutes,
  ...webEditRoutes,
  ...webPageRoutes,
];

/** All routes of the gateway. */
export const allRoutes: readonly AnyRoute[] = [...routes, ...openApiRoutes(routes)];
