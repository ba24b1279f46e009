import { invalidField } from '../../../../actors/domain/problem.js';
import type { InstanceAnnouncement, InstanceEntry } from '../../../../proto/gen/types.js';
import type { AnyRoute, Uploaded } from '../../../http/route.js';
import { addEmoji, EMOJI_BYTES_MAX, removeEmoji } from '../../../moderation/emoji.js';
import { isoTime } from '../../../paging/iso-time.js';
import { ENTRY_TEXT_CHARS_MAX } from '../../../settings/changes.js';
import { answerOf, type EntryPages, entryPages, ofEntries } from './entries.js';

/** Boundaries and other fields of the form. */
const FORM_BYTES_MAX = 10_000;
/** Characters of a text in lists. */
const EXCERPT_CHARS = 200;
const blank = () => invalidField('text', 'Text', "can't be blank");

const rules: EntryPages<InstanceEntry> = {
  ...{ collection: 'rules', permission: 'manage_rules' },
  fields: [
    { name: 'text', kind: 'area', isRequired: true, maxLength: ENTRY_TEXT_CHARS_MAX },
    { name: 'hint', kind: 'area', maxLength: ENTRY_TEXT_CHARS_MAX },
  ],
  source: ofEntries(
    'rules',
    ({ text, hint }) => {
      const content = { text: String(text).trim(), hint: String(hint).trim() };
      if (content.hint.length > ENTRY_TEXT_CHARS_MAX) return invalidField('hint', 'Hint', 'is too long');
      return content.text === '' ? blank() : { text: content };
    },
    true,
  ),
  rowOf: ({ id, text, atMs }) => ({
    ...{ id, name: text?.text.slice(0, EXCERPT_CHARS) ?? '', since: isoTime(atMs) },
    texts: text === undefined || text.hint === '' ? [] : [text.hint],
  }),
  typedOf: ({ text }) => ({ text: text?.text ?? '', hint: text?.hint ?? '' }),
};

const NOTHING: InstanceAnnouncement = { text: '', allDay: false, startsAtMs: 0, endsAtMs: 0 };
/** A value of `datetime-local` (HTML standard §2.3.5.5), which pages read as UTC. */
const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)$/;
/** The first and the last moment of a whole day. */
const DAY_START = '00:00';
const DAY_END = '23:59:59.999';

/** Returns a typed time in ms; 0 without one, undefined for other text. @param atTime replaces the time of the day */
function typedTime(typed: string, atTime: string): number | undefined {
  if (typed.trim() === '') return 0;
  const [, day, time] = LOCAL_TIME.exec(typed.trim()) ?? [];
  const atMs = Date.parse(`${day}T${atTime || time}Z`);
  // Date.parse accepts a 31st of February; years before 1970 have no meaning here.
  return atMs > 0 && isoTime(atMs).startsWith(`${day}`) ? atMs : undefined;
}

/** Returns a time as `datetime-local` shows it, to the minute. */
const fieldTime = (atMs: number): string => (atMs === 0 ? '' : isoTime(atMs).slice(0, 'yyyy-mm-ddThh:mm'.length));

const announcements: EntryPages<InstanceEntry> = {
  ...{ collection: 'announcements', permission: 'manage_announcements' },
  fields: [
    { name: 'text', kind: 'area', isRequired: true, maxLength: ENTRY_TEXT_CHARS_MAX },
    { name: 'starts_at', kind: 'time' },
    { name: 'ends_at', kind: 'time' },
    { name: 'all_day', kind: 'tick' },
  ],
  source: ofEntries('announcements', ({ text: typed, starts_at, ends_at, all_day }) => {
    const text = String(typed).trim();
    if (text === '') return blank();
    const allDay = all_day === true;
    const startsAtMs = typedTime(String(starts_at ?? ''), allDay ? DAY_START : '');
    if (startsAtMs === undefined) return invalidField('starts_at', 'Starts at');
    const endsAtMs = typedTime(String(ends_at ?? ''), allDay ? DAY_END : '');
    if (endsAtMs === undefined) return invalidField('ends_at', 'Ends at');
    return { announcement: { text, allDay, startsAtMs, endsAtMs } };
  }),
  rowOf: ({ id, announcement, atMs }, texts) => {
    const { text = '', startsAtMs = 0, endsAtMs = 0 } = announcement ?? {};
    return {
      ...{ id, name: text.slice(0, EXCERPT_CHARS), since: isoTime(startsAtMs === 0 ? atMs : startsAtMs) },
      ...(startsAtMs !== 0 && { sinceText: texts.from }),
      until: endsAtMs === 0 ? undefined : isoTime(endsAtMs),
    };
  },
  typedOf: ({ announcement: { text, allDay, startsAtMs, endsAtMs } = NOTHING }) => ({
    ...{ text, all_day: allDay, starts_at: fieldTime(startsAtMs), ends_at: fieldTime(endsAtMs) },
  }),
};

/** A row of the list of emoji. */
interface ShownEmoji {
  readonly entry: InstanceEntry;
  readonly picture: string | undefined;
}

const stored = ofEntries('emojis', () => ({}));
const emojis: EntryPages<ShownEmoji> = {
  ...{ collection: 'custom_emojis', permission: 'manage_custom_emojis' },
  multipartBytesMax: EMOJI_BYTES_MAX + FORM_BYTES_MAX,
  fields: [
    { name: 'shortcode', kind: 'line', isRequired: true },
    { name: 'category', kind: 'line' },
    { name: 'picture', kind: 'file', isRequired: true },
  ],
  source: {
    ...stored,
    list: async (moderator, query) => {
      const { body, ...answer } = await stored.list(moderator, query);
      const { instance } = moderator.request.services;
      return {
        ...answer,
        body: body.map((entry) => ({ entry, picture: instance.emojis?.all.get(entry.key)?.static_url })),
      };
    },
    find: async () => undefined,
    add: async ({ request, session }, { shortcode, category }) => {
      const { picture } = request.body as { readonly picture?: Uploaded };
      return answerOf(
        await addEmoji(request.services, session.account.id, {
          shortcode: String(shortcode).trim().replaceAll(':', ''),
          category: String(category).trim(),
          bytes: picture?.bytes ?? new Uint8Array(),
        }),
      );
    },
    remove: async ({ request, session }, id) => answerOf(await removeEmoji(request.services, session.account.id, id)),
  },
  rowOf: ({ entry: { id, key, text, atMs }, picture }) => ({
    ...{ id, name: `:${key}:`, picture, since: isoTime(atMs) },
    marks: text === undefined || text.hint === '' ? [] : [text.hint],
  }),
};

/** Pages of rules, announcements and custom emoji. */
export const noticePageRoutes: readonly AnyRoute[] = [
  ...entryPages(rules),
  ...entryPages(announcements),
  ...entryPages(emojis),
];
