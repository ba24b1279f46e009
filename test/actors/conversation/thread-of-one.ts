import { conversationSlices } from '../../../actors/conversation/slices.js';
import { initialConversation } from '../../../actors/conversation/state.js';
import { joined } from '../../../actors/runtime/slice.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { given } from '../../kit/actors/given.js';

const slice = joined(conversationSlices);

/** A mark of `bob` on the only status. */
export const mark = { statusId: '1', by: 'bob' };

/** Returns a public status of `author` with some fields changed. */
export function status(change: Partial<StoreStatusRecord> = {}): StoreStatusRecord {
  return {
    ...{ id: '1', accountId: 'author', conversationId: '1', text: 'text', html: '<p>text</p>', spoilerText: '' },
    ...{ visibility: 'public', sensitive: false, mentions: [], tags: [], createdAtMs: 1, editedAtMs: 0 },
    ...{ deleted: false, favourites: 0, reblogs: 0, replies: 0 },
    ...change,
  };
}

/** Returns a conversation of one status. */
export const started = (change: Partial<StoreStatusRecord> = {}) =>
  given(slice, initialConversation()).when('add', { status: status(change) });
