import { Type } from '@sinclair/typebox';
import { tagUrl } from '../../../actors/domain/addresses.js';
import { readText, renderHtml } from '../../../actors/domain/text/plain-text.js';
import type { AccountAnnouncementMark, InstanceEmojiCounted, InstanceEntry } from '../../../proto/gen/types.js';
import { entity, nullable, type Shape, time, uri } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import { CustomEmoji, emojiIn } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { StatusMention } from '../status/status.js';
import { StatusTag } from '../status/tag.js';

const Reaction = entity('Reaction', {
  name: Type.String(),
  count: Type.Integer(),
  /** Present in answers to the viewer. */
  me: Type.Optional(Type.Boolean()),
  url: nullable(uri()),
  static_url: nullable(uri()),
});

/** The REST API's Announcement. */
export const Announcement = entity('Announcement', {
  id: Type.String(),
  content: Type.String(),
  starts_at: nullable(time()),
  ends_at: nullable(time()),
  all_day: Type.Boolean(),
  published_at: time(),
  updated_at: time(),
  /** Present in answers to the viewer. */
  read: Type.Optional(Type.Boolean()),
  mentions: Type.Array(StatusMention),
  statuses: Type.Array(Type.Object({ id: Type.String(), url: uri() })),
  tags: Type.Array(StatusTag),
  emojis: Type.Array(CustomEmoji),
  reactions: Type.Array(Reaction),
});
export type Announcement = Shape<typeof Announcement>;

/** Returns the time from which people see an announcement; 0 if it has no start of its own. */
export const startsAtMsOf = ({ announcement }: InstanceEntry): number => announcement?.startsAtMs ?? 0;

/** Renders the REST API's Announcement. Without a mark the result is the same for everybody, as streams send it. */
export function renderAnnouncement(
  instance: InstanceSettings,
  entry: InstanceEntry,
  counts: readonly InstanceEmojiCounted[],
  mark?: AccountAnnouncementMark | 'unmarked',
): Announcement {
  const { text = '', allDay = false, startsAtMs = 0, endsAtMs = 0 } = entry.announcement ?? {};
  const own = mark === undefined || mark === 'unmarked' ? undefined : mark;
  return {
    id: entry.id,
    content: renderHtml(text, { mentions: new Map(), baseUrl: instance.baseUrl }),
    starts_at: startsAtMs === 0 ? null : isoTime(startsAtMs),
    ends_at: endsAtMs === 0 ? null : isoTime(endsAtMs),
    all_day: allDay,
    published_at: isoTime(Math.max(entry.atMs, startsAtMs)),
    updated_at: isoTime(entry.updatedAtMs),
    ...(mark === undefined ? {} : { read: own?.read ?? false }),
    mentions: [],
    statuses: [],
    tags: readText(text).tags.map((name) => ({ name, url: tagUrl(instance.baseUrl, name) })),
    emojis: emojiIn(instance, text),
    reactions: counts.map(({ name, count }) => ({
      name,
      count,
      ...(mark === undefined ? {} : { me: own?.names.includes(name) ?? false }),
      url: instance.emojis?.all.get(name)?.url ?? null,
      static_url: instance.emojis?.all.get(name)?.static_url ?? null,
    })),
  };
}
