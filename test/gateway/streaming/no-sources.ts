import type { StreamSources } from '../../../gateway/streaming/sources.js';

const nothing = async () => [];

/** Streams to which nothing happened before, and of which nothing may be shown. */
export const NO_SOURCES: StreamSources = {
  renderStatus: async () => undefined,
  renderFor: async () => undefined,
  marksOf: async () => ({ status: {}, reblog: undefined }),
  renderNotification: async () => undefined,
  homeSince: nothing,
  listSince: nothing,
  publicSince: nothing,
  tagSince: nothing,
  notificationsSince: nothing,
  renderConversation: async () => undefined,
  conversationsSince: nothing,
  nowOf: nothing,
  changesSince: nothing,
};

/** What a viewer's actor answers who is nobody's follower and hides nothing. */
export const NO_RELATIONS = {
  following: [],
  blocked: [],
  blockedBy: [],
  muted: [],
  lists: [],
  mutedConversations: [],
  domains: [],
  tags: [],
};
