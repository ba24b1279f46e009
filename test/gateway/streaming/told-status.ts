import type { Publication } from '../../../actors/timelines/publications.js';
import { codec } from '../../../proto/codec.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { type Bus, STATUSES_TOPIC } from '../../../transport/bus.js';

const BLANK = { conversationId: '1', html: '', spoilerText: '', sensitive: false, mentions: [], tags: [] };
const ZERO = { createdAtMs: 0, editedAtMs: 0, favourites: 0, reblogs: 0, replies: 0, deleted: false };

/** Returns a public status with a greeting. */
export function plainStatus(id: string, accountId: string, more: Partial<StoreStatusRecord> = {}): StoreStatusRecord {
  return { id, accountId, visibility: 'public', text: 'hello', ...BLANK, ...ZERO, ...more };
}

/** Publishes a status as its actor does. */
export function tell(bus: Pick<Bus, 'publish'>, kind: string, status: StoreStatusRecord, more: Publication = {}): void {
  const { id, accountId } = status;
  const message = { kind, status, id, accountId, onlyTo: [], listed: true, ...more };
  bus.publish(STATUSES_TOPIC, codec('murmuration.node.StatusTopic').encode(message));
}
