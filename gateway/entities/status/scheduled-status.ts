import type { AccountScheduledItem } from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import type { MediaAttachment } from './media.js';

/** The REST API's ScheduledStatus, but for `in_reply_to_id`, which is written as a number. */
interface ScheduledStatus {
  readonly id: string;
  readonly scheduled_at: string;
  readonly params: {
    readonly text: string;
    readonly visibility: string;
    readonly spoiler_text: string | null;
    readonly sensitive: boolean;
    readonly language: string | null;
    readonly in_reply_to_id: string | null;
    readonly quoted_status_id: string | null;
    readonly quote_approval_policy?: string;
    readonly media_ids: readonly string[] | null;
    readonly poll: object | null;
    readonly idempotency: string | null;
    readonly scheduled_at: null;
    readonly application_id: number;
    readonly with_rate_limit: boolean;
  };
  readonly media_attachments: readonly MediaAttachment[];
}

function renderScheduled(
  { id, post, dueMs }: AccountScheduledItem,
  media: readonly MediaAttachment[],
): ScheduledStatus {
  return {
    id,
    scheduled_at: isoTime(dueMs),
    params: {
      text: post?.text ?? '',
      visibility: post?.visibility ?? 'public',
      spoiler_text: post?.spoilerText || null,
      sensitive: post?.sensitive ?? false,
      language: post?.language ?? null,
      in_reply_to_id: post?.inReplyToId ?? null,
      quoted_status_id: post?.quote?.statusId ?? null,
      ...(post?.quotePolicy === undefined ? {} : { quote_approval_policy: post.quotePolicy }),
      media_ids: post?.media?.ids ?? null,
      poll: post?.poll === undefined ? null : pollParams(post.poll),
      // Some were scheduled with a key of ours.
      idempotency: post?.idempotencyKey?.startsWith('own-') === false ? post.idempotencyKey : null,
      scheduled_at: null,
      application_id: 0,
      with_rate_limit: false,
    },
    media_attachments: media,
  };
}

function pollParams({ options, expiresInMs, multiple, hideTotals }: NonNullable<Post['poll']>) {
  return { options, expires_in: expiresInMs / 1_000, multiple, hide_totals: hideTotals };
}
type Post = NonNullable<AccountScheduledItem['post']>;

/** What is kept of a status that waits: its JSON, and what that was made of besides the post. */
interface Kept {
  readonly id: string;
  readonly dueMs: number;
  readonly bytes: Uint8Array;
}

/** By the post, which its actor has one and the same of until it is sent. */
const kept = new WeakMap<Post, Kept>();

/** As JSON; kept where nothing is attached, since what is attached may change by itself. */
export function scheduledJson(item: AccountScheduledItem, media: readonly MediaAttachment[]): Uint8Array {
  const { id, post, dueMs } = item;
  if (post === undefined || media.length > 0 || post.media !== undefined) return made(renderScheduled(item, media));
  const known = kept.get(post);
  if (known !== undefined && known.id === id && known.dueMs === dueMs) return known.bytes;
  const bytes = made(renderScheduled(item, media));
  kept.set(post, { id, dueMs, bytes });
  return bytes;
}

/**
 * With what it answers as a number, as the API has it: ids have more digits than JavaScript's numbers. Within texts
 * quotes are escaped, so nothing that somebody wrote looks like the field.
 */
function made(body: ScheduledStatus): Uint8Array {
  return Buffer.from(JSON.stringify(body).replaceAll(/"in_reply_to_id":"0*(\d+)"/g, '"in_reply_to_id":$1'));
}
