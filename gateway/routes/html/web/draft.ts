import type { StoreAccountRecord, StoreStatusRecord } from '../../../../proto/gen/types.js';
import { type Draft, FILES, POLL_OPTIONS } from '../../../html/web/compose.js';
import type { MediaAttachment } from '../../../pages/status/media.js';
import type { Status } from '../../../pages/status/status.js';
import type { Personal } from '../personal.js';

/** Fields of the form of a post, by name. A tick is `true` or `false`. */
export type Typed = Readonly<Record<string, string | undefined>>;

const ID = /^\d{1,20}$/;
/** Seconds for which a new poll is open, until its author chooses another time. */
const POLL_SECONDS = '86400';

/** Returns the fields with which a new post begins: the defaults of its author. */
export const startOf = ({ profile }: StoreAccountRecord): Typed => ({
  visibility: profile?.privacy || 'public',
  sensitive: String(profile?.sensitive ?? false),
  language: profile?.language ?? '',
});

/** Returns the fields for a stored post. */
export function fieldsOf(status: Status, { text, spoilerText }: StoreStatusRecord): Typed {
  const media = status.media_attachments.flatMap(({ id, description }, index) => [
    [`media${index + 1}`, id],
    [`description${index + 1}`, description ?? ''],
  ]);
  const options = status.poll?.options.map(({ title }, index) => [`option${index + 1}`, title]) ?? [];
  return {
    status: text,
    spoiler_text: spoilerText,
    sensitive: String(status.sensitive),
    language: status.language ?? '',
    multiple: String(status.poll?.multiple ?? false),
    ...Object.fromEntries([...media, ...options]),
  };
}

/** Returns the content of the form for its fields, with the uploads that they name. */
export async function draftOf(
  personal: Pick<Personal<unknown, unknown, unknown>, 'api'>,
  typed: Typed,
): Promise<Draft> {
  const slots = FILES.map(async (number) => ({
    media: await uploadOf(personal, typed[`media${number}`] ?? ''),
    description: typed[`description${number}`] ?? '',
    isRemoved: typed[`remove${number}`] === 'true',
  }));
  return {
    text: typed.status ?? '',
    warning: typed.spoiler_text ?? '',
    visibility: typed.visibility ?? 'public',
    isSensitive: typed.sensitive === 'true',
    language: typed.language ?? '',
    slots: await Promise.all(slots),
    options: POLL_OPTIONS.map((number) => typed[`option${number}`] ?? ''),
    expiresIn: typed.expires_in ?? POLL_SECONDS,
    isMultiple: typed.multiple === 'true',
  };
}

/** Returns an upload of the person; undefined if there is none. */
async function uploadOf({ api }: Parameters<typeof draftOf>[0], id: string): Promise<MediaAttachment | undefined> {
  if (!ID.test(id)) return undefined;
  const { status, body } = await api<MediaAttachment>({ method: 'GET', path: `/api/v1/media/${id}` });
  return status < 400 ? body : undefined;
}
