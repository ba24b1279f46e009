import type { StreamSources } from '../../../gateway/streaming/sources.js';

const nothing = async () => [];

/** Sources of streams without earlier events, which render nothing. */
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

/** Reply of a viewer's actor that follows nobody and hides nothing. */
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
