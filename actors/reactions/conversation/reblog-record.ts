import type { StoreStatusRecord } from '../../../proto/gen/types.js';

/** Returns the status record of a reblog. Its content is the original's. */
export function reblogRecord(
  conversation: string,
  original: StoreStatusRecord | undefined,
  by: string,
  { id, visibility, atMs }: { readonly id: string; readonly visibility: string; readonly atMs: number },
): StoreStatusRecord | undefined {
  if (original === undefined) return undefined;
  return {
    id,
    accountId: by,
    conversationId: conversation,
    reblogOfId: original.id,
    reblogOfAccountId: original.accountId,
    text: '',
    html: '',
    spoilerText: '',
    visibility,
    sensitive: false,
    mentions: [],
    tags: [],
    createdAtMs: atMs,
    editedAtMs: 0,
    deleted: false,
    favourites: 0,
    reblogs: 0,
    replies: 0,
    quote: original.quote,
  };
}
