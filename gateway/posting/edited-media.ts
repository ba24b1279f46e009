import { type Static, Type } from '@sinclair/typebox';
import { storedId } from '../../actors/domain/ids.js';
import { DESCRIPTION_CHARS_MAX } from '../../actors/domain/media.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { countChars } from '../../actors/domain/text/plain-text.js';
import { invalidField } from '../../actors/domain/text/status-text.js';
import type { AccountMedia, AccountMediaList, StoreStatusRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { focusOf } from './media-focus.js';

/** Items in a request; the limits of a status are checked later. */
const ITEMS_MAX = 100;
const ID_CHARS_MAX = 100;
const DESCRIPTION_READ_MAX = DESCRIPTION_CHARS_MAX * 4;
const FOCUS_CHARS_MAX = 64;

/** Schema of the media in an edit. */
export const mediaEdit = {
  media_ids: Type.Optional(Type.Array(Type.String({ maxLength: ID_CHARS_MAX }), { maxItems: ITEMS_MAX })),
  media_attributes: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ maxLength: ID_CHARS_MAX }),
        description: Type.Optional(Type.String({ maxLength: DESCRIPTION_READ_MAX })),
        focus: Type.Optional(Type.String({ maxLength: FOCUS_CHARS_MAX })),
      }),
      { maxItems: ITEMS_MAX },
    ),
  ),
};
type MediaEdit = Static<ReturnType<typeof Type.Object<typeof mediaEdit>>>;

/** A status' media after an edit. */
export interface EditedMedia {
  readonly media: AccountMediaList | undefined;
  /** Uploads that the edit adds; they are released if the edit fails. */
  readonly taken: readonly AccountMedia[];
}

/**
 * Returns the media after an edit. Without `media_ids` all are removed, because forms cannot send an empty list.
 * Source: Mastodon UpdateStatusService.
 */
export async function editedMedia(
  services: Pick<Services, 'askAccount'>,
  viewer: string,
  record: StoreStatusRecord,
  { media_ids = [], media_attributes = [] }: MediaEdit,
): Promise<EditedMedia | Problem> {
  const had = record.media?.media ?? [];
  const ids = [...new Set(media_ids.filter((id) => id !== '').map((id) => storedId(id)))];
  const fresh = ids.filter((id) => !had.some((one) => one.id === id));
  const taken =
    fresh.length === 0 ? [] : await services.askAccount(viewer, 'takeMedia', { ids: fresh, statusId: record.id });
  if (isProblem(taken)) return taken;
  const added = 'media' in taken ? taken.media : [];
  const all = new Map([...had, ...added].map((one) => [one.id, one]));
  for (const { id, description, focus } of media_attributes) {
    const one = all.get(storedId(id));
    if (one === undefined) continue;
    const point = focus ? focusOf(focus) : one.focus;
    const refusal = isProblem(point) ? point : tooLong(description);
    if (refusal !== undefined) return letGo(services, viewer, added, refusal);
    if (isProblem(point)) continue;
    all.set(one.id, { ...one, description: description?.trim() ?? one.description, focus: point });
  }
  const media = ids.flatMap((id) => all.get(id) ?? []);
  return { media: media.length === 0 ? undefined : { media }, taken: added };
}

/** Releases the added uploads of a failed edit. */
export async function letGo(
  services: Pick<Services, 'askAccount'>,
  viewer: string,
  taken: readonly AccountMedia[],
  why: Problem,
): Promise<Problem> {
  if (taken.length > 0) await services.askAccount(viewer, 'releaseMedia', { media: taken, discard: false });
  return why;
}

function tooLong(description = ''): Problem | undefined {
  if (countChars(description) <= DESCRIPTION_CHARS_MAX) return undefined;
  const text = `is too long (maximum is ${DESCRIPTION_CHARS_MAX} characters)`;
  return invalidField('description', 'Description', 'ERR_TOO_LONG', text);
}
