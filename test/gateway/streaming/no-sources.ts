import type { StreamSources } from '../../../gateway/streaming/sources.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';

const nothing = async () => [];

/** Sources of streams without earlier events, which render nothing. */
export const NO_SOURCES: StreamSources = {
  renderStatus: async () => undefined,
  renderFor: async () => undefined,
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
  publications: { received: 0, has: () => undefined, isLate: () => false, lateSince: () => [] },
};

/** Returns an entity as pieces of JSON. */
export const piecesOf = (entity: object): Uint8Array[] => [Buffer.from(JSON.stringify(entity))];

/** Renders statuses alike for all viewers. */
export function rendering(
  entityOf: (record: StoreStatusRecord) => object | Promise<object>,
): Pick<StreamSources, 'renderStatus' | 'renderFor'> {
  const render = async (record: StoreStatusRecord) => piecesOf(await entityOf(record));
  return { renderStatus: render, renderFor: (_viewer, record) => render(record) };
}

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
