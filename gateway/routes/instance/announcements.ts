import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { EMOJI_NAMES_MAX } from '../../../actors/instance/emoji.js';
import type { InstanceEmojiCounted, InstanceEntry } from '../../../proto/gen/types.js';
import { announcementEmoji } from '../../../store/tables.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { idParams } from '../../pages/answers.js';
import { Announcement, renderAnnouncement, startsAtMsOf } from '../../pages/instance/announcement.js';
import { answered, notFound } from '../../viewing/visible.js';

/** Longest name of a reaction: a shortcode, or one emoji with its modifiers (a family has some 11 code points). */
const EMOJI_CHARS_MAX = 100;
const FLAG = /^\p{Regional_Indicator}{2}$/u;
const KEY_CAP = /^[0-9#*]\ufe0f?\u20e3$/;
const PICTURE = /^\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\p{Extended_Pictographic}|\u200d|\ufe0f)*$/u;
const isEmoji = (name: string) => [FLAG, KEY_CAP, PICTURE].some((form) => form.test(name));
/** Different reactions to one announcement. Source: Mastodon ReactionValidator::LIMIT. */
const NAMES_MAX = 8;

/** Returns the reaction counts of an announcement, in the order of the names. */
export async function emojiCounts(
  services: Pick<Services, 'tables'>,
  announcement: string,
): Promise<readonly InstanceEmojiCounted[]> {
  const rows = await services.tables.range(announcementEmoji, { announcement }, { limit: EMOJI_NAMES_MAX });
  return rows.map(({ value }) => value);
}

async function standing({ entries, clock }: Pick<Services, 'entries' | 'clock'>): Promise<readonly InstanceEntry[]> {
  const nowMs = clock.nowMs();
  return (await entries.of('announcements')).filter((entry) => {
    const endsAtMs = entry.announcement?.endsAtMs ?? 0;
    return startsAtMsOf(entry) <= nowMs && (endsAtMs === 0 || endsAtMs > nowMs);
  });
}

/** Returns an announcement that has started; undefined for others, as for missing ones. */
async function started({ entries, clock }: Pick<Services, 'entries' | 'clock'>, id: string) {
  const entry = await entries.find('announcements', storedId(id));
  return entry === undefined || startsAtMsOf(entry) > clock.nowMs() ? undefined : entry;
}

const list = route({
  method: 'GET',
  path: '/api/v1/announcements',
  auth: 'user',
  scope: 'read',
  answer: Type.Array(Announcement),
  handle: async ({ services, viewer = '' }) => {
    const all = await standing(services);
    if (all.length === 0) return json([]);
    const { marks } = answered(await services.askAccount(viewer, 'announcementMarks', {}));
    const markOf = new Map(marks.map((mark) => [mark.id, mark]));
    const counts = await Promise.all(all.map(({ id }) => emojiCounts(services, id)));
    return json(
      all.map((entry, index) =>
        renderAnnouncement(services.instance, entry, counts[index] ?? [], markOf.get(entry.id) ?? 'unmarked'),
      ),
    );
  },
});

const dismiss = route({
  method: 'POST',
  path: '/api/v1/announcements/:id/dismiss',
  auth: 'user',
  scope: 'write:accounts',
  params: idParams,
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const entry = await started(services, params.id);
    if (entry === undefined) return notFound();
    const reply = await services.askAccount(viewer, 'dismissAnnouncement', { id: entry.id });
    return isProblem(reply) ? reply : json({});
  },
});

function reaction(method: 'PUT' | 'DELETE'): AnyRoute {
  return route({
    method,
    path: '/api/v1/announcements/:id/reactions/:name',
    auth: 'user',
    scope: 'write:favourites',
    params: Type.Object({ ...idParams.properties, name: Type.String({ maxLength: EMOJI_CHARS_MAX }) }),
    answer: Type.Object({}),
    handle: async ({ services, viewer = '', params: { id, name } }) => {
      const entry = await started(services, id);
      if (entry === undefined) return notFound();
      // The name is checked for additions only, so a reaction with a deleted emoji can still be removed.
      const isKnown = isEmoji(name) || services.instance.emojis?.all.has(name) === true;
      if (method === 'PUT' && !isKnown) return problem('invalid', 'Validation failed: Name is not a recognized emoji');
      if (method === 'PUT') {
        const counts = await emojiCounts(services, entry.id);
        if (counts.length >= NAMES_MAX && !counts.some((count) => count.name === name))
          return problem('invalid', 'Validation failed: Limit of different reactions reached');
      }
      const reply = await services.askAccount(viewer, 'react', { id: entry.id, name, on: method === 'PUT' });
      return isProblem(reply) ? reply : json({});
    },
  });
}

/** Announcements of the instance. */
export const announcementRoutes: readonly AnyRoute[] = [list, dismiss, reaction('PUT'), reaction('DELETE')];
