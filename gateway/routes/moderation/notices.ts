import { invalidField } from '../../../actors/domain/problem.js';
import type { InstanceEntry } from '../../../proto/gen/types.js';
import type { AnyRoute, Uploaded } from '../../http/route.js';
import { addEmoji, EMOJI_BYTES_MAX, removeEmoji } from '../../moderation/emoji.js';
import { isoTime } from '../../paging/iso-time.js';
import { ENTRY_TEXT_CHARS_MAX } from '../../settings/changes.js';
import { answerOf, type EntryPages, entryPages, ofEntries } from './entries.js';

/** Boundaries and other fields of the form. */
const FORM_BYTES_MAX = 10_000;
/** A century: longer ends are none in practice. */
const SECONDS_MAX = 100 * 366 * 86_400;
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

const announcements: EntryPages<InstanceEntry> = {
  ...{ collection: 'announcements', permission: 'manage_announcements' },
  fields: [
    { name: 'text', kind: 'area', isRequired: true, maxLength: ENTRY_TEXT_CHARS_MAX },
    { name: 'expires_in', kind: 'ends' },
  ],
  source: ofEntries('announcements', ({ text: typed, expires_in: end = 'never' }, before, nowMs) => {
    const text = String(typed).trim();
    if (text === '') return blank();
    const isKept = end === 'keep' || end === 'never' || end === '';
    const seconds = isKept ? 0 : Number(end);
    if (!Number.isInteger(seconds) || seconds < 0 || seconds > SECONDS_MAX) return invalidField('expires_in', 'End');
    const known = before?.announcement ?? { allDay: false, startsAtMs: 0, endsAtMs: 0 };
    return { announcement: { ...known, text, endsAtMs: isKept ? known.endsAtMs : nowMs + seconds * 1_000 } };
  }),
  rowOf: ({ id, announcement, atMs }) => ({
    ...{ id, name: announcement?.text.slice(0, EXCERPT_CHARS) ?? '', since: isoTime(atMs) },
    until: announcement === undefined || announcement.endsAtMs === 0 ? undefined : isoTime(announcement.endsAtMs),
  }),
  typedOf: ({ announcement }) => ({ text: announcement?.text ?? '', expires_in: 'keep' }),
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
