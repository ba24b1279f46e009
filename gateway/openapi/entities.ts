import type { TSchema } from '@sinclair/typebox';
import { TrendsLink } from '../discovery/trends-link.js';
import { Account, CredentialAccount, FeatureApproval, Field, MutedAccount } from '../pages/account/account.js';
import { AdminAccount } from '../pages/account/admin.js';
import { FeaturedTag } from '../pages/account/featured-tag.js';
import { Filter, FilterKeyword, FilterResult, FilterStatus, V1Filter } from '../pages/account/filter.js';
import { List } from '../pages/account/list.js';
import { Profile } from '../pages/account/profile.js';
import { Relationship } from '../pages/account/relationship.js';
import { AccountRole, Role } from '../pages/account/role.js';
import { Announcement } from '../pages/instance/announcement.js';
import { Instance, V1Instance } from '../pages/instance/instance.js';
import { Rule } from '../pages/instance/rule.js';
import { Notification } from '../pages/notification/notification.js';
import { NotificationFallback } from '../pages/notification/notification-fallback.js';
import { GroupedNotificationsResults, NotificationGroup } from '../pages/notification/notification-groups.js';
import { NotificationRequest } from '../pages/notification/notification-requests.js';
import { AdminReport, Report } from '../pages/report/report.js';
import { Collection, CollectionItem } from '../pages/status/collection.js';
import { MediaAttachment } from '../pages/status/media.js';
import { Poll } from '../pages/status/poll.js';
import { PreviewCard } from '../pages/status/preview-card.js';
import { QuoteApproval, ShallowQuote } from '../pages/status/quote.js';
import { ScheduledStatus } from '../pages/status/scheduled-status.js';
import { Quote, Status, StatusMention } from '../pages/status/status.js';
import { StatusEdit, StatusSource } from '../pages/status/status-history.js';
import { ShallowTag, StatusTag, Tag, TagHistory } from '../pages/status/tag.js';
import { CustomEmoji } from '../settings/custom-emoji.js';

/** Entities that a schema describes. Those within them are found through them. */
export const entities: readonly TSchema[] = [
  Account,
  AccountRole,
  AdminAccount,
  AdminReport,
  Announcement,
  Collection,
  CollectionItem,
  CredentialAccount,
  CustomEmoji,
  FeatureApproval,
  FeaturedTag,
  Field,
  Filter,
  GroupedNotificationsResults,
  FilterKeyword,
  FilterResult,
  FilterStatus,
  Instance,
  List,
  MediaAttachment,
  MutedAccount,
  Notification,
  NotificationFallback,
  NotificationGroup,
  NotificationRequest,
  Poll,
  PreviewCard,
  Profile,
  Quote,
  QuoteApproval,
  Relationship,
  Report,
  Role,
  Rule,
  ScheduledStatus,
  ShallowQuote,
  ShallowTag,
  Status,
  StatusEdit,
  StatusMention,
  StatusSource,
  StatusTag,
  Tag,
  TagHistory,
  TrendsLink,
  V1Filter,
  V1Instance,
];
