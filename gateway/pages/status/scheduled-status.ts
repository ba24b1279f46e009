import { Type } from '@sinclair/typebox';
import type { AccountScheduledItem } from '../../../proto/gen/types.js';
import { entity, nullable, oneOf, type Shape, time, VISIBILITIES } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import { MediaAttachment } from './media.js';

/** The REST API's ScheduledStatus. `in_reply_to_id` is a string until `made` writes it as a number. */
export const ScheduledStatus = entity('ScheduledStatus', {
  id: Type.String(),
  scheduled_at: time(),
  params: Type.Object({
    text: Type.String(),
    visibility: oneOf(...VISIBILITIES),
    spoiler_text: nullable(Type.String()),
    sensitive: Type.Boolean(),
    language: nullable(Type.String()),
    in_reply_to_id: nullable(Type.Unsafe<string>(Type.Integer())),
    quoted_status_id: nullable(Type.String()),
    quote_approval_policy: Type.Optional(oneOf('public', 'followers', 'nobody')),
    media_ids: nullable(Type.Array(Type.String())),
    poll: nullable(
      Type.Object({
        options: Type.Array(Type.String()),
        expires_in: Type.Integer(),
        multiple: Type.Boolean(),
        hide_totals: Type.Boolean(),
      }),
    ),
    idempotency: nullable(Type.String()),
    scheduled_at: Type.Null(),
    application_id: Type.Integer(),
    with_rate_limit: Type.Boolean(),
  }),
  media_attachments: Type.Array(MediaAttachment),
});
type ScheduledStatus = Shape<typeof ScheduledStatus>;

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
      // Keys that begin with `own-` come from this server and not from the client.
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

/** Cached JSON of a scheduled status, with the values besides the post on which it depends. */
interface CachedScheduled {
  readonly id: string;
  readonly dueMs: number;
  readonly bytes: Uint8Array;
}

/** Cached JSON by post: the actor returns the same object until the status is sent. */
const kept = new WeakMap<Post, CachedScheduled>();

/**
 * Renders a scheduled status as JSON. It is cached only without attachments, because attachments may change by
 * themselves.
 */
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
 * Converts `in_reply_to_id` to a number, as the API demands: ids have more digits than JavaScript's numbers. Quotes
 * within texts are escaped, so no user's text looks like the field.
 */
function made(body: ScheduledStatus): Uint8Array {
  return Buffer.from(JSON.stringify(body).replaceAll(/"in_reply_to_id":"0*([1-9]\d*)"/g, '"in_reply_to_id":$1'));
}
