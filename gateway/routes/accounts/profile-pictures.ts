import { namesIn, PROFILE_MENTIONS_MAX } from '../../../actors/account/profile.js';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import type { AccountMentions, AccountProfile, AccountUpdateProfile } from '../../../proto/gen/types.js';
import type { Uploaded } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { mediaKey } from '../../posting/media-names.js';
import { findMentioned } from '../../posting/written.js';

/** Largest picture. Source: Mastodon AccountAvatar::LIMIT, 8 MB since 4.3. */
const PICTURE_BYTES_MAX = 8 * 1_048_576;
export const PICTURES_BYTES_MAX = 2 * PICTURE_BYTES_MAX + 1_048_576;

/** Width and height, in pixels. Source: Mastodon AccountAvatar, AccountHeader. */
const SIZES = { avatar: [400, 400], header: [1_500, 500] } as const;

interface Pictures {
  readonly avatar?: Uploaded;
  readonly header?: Uploaded;
}

/** Crops and stores the pictures, then changes the profile. */
export async function updateProfile(
  services: Pick<
    Services,
    'entries' | 'askInstance' | 'workshop' | 'registry' | 'random' | 'instance' | 'askAccount' | 'tables'
  >,
  viewer: string,
  pictures: Pictures,
  changes: AccountUpdateProfile,
): Promise<AccountProfile | Problem> {
  const stored: { avatar?: string; header?: string } = {};
  for (const which of ['avatar', 'header'] as const) {
    const name = await storedPicture(services, viewer, which, pictures[which]);
    if (isProblem(name)) return refused(services, stored, name);
    if (name !== undefined) stored[which] = name;
  }
  const mentions = await mentionsIn(services, changes);
  const updated = await services.askAccount(viewer, 'updateProfile', { ...changes, ...stored, mentions });
  return isProblem(updated) ? refused(services, stored, updated) : updated;
}

/** Resolves mentions when the profile is written, as for statuses. */
async function mentionsIn(
  services: Pick<Services, 'registry' | 'instance' | 'tables'>,
  { note, fields, setFields }: AccountUpdateProfile,
) {
  const names = namesIn(note ?? '', setFields ? fields : []).slice(0, PROFILE_MENTIONS_MAX);
  if (names.length === 0) return undefined;
  return { mentions: [...(await findMentioned(services, names)).values()] } satisfies AccountMentions;
}

export function removePicture(services: Pick<Services, 'askAccount'>, viewer: string, which: 'avatar' | 'header') {
  const unchanged = { fields: [], setFields: false };
  const gone = which === 'avatar' ? { avatar: '', avatarDescription: '' } : { header: '', headerDescription: '' };
  return services.askAccount(viewer, 'updateProfile', { ...unchanged, ...gone });
}

/**
 * Stores a picture and returns its name. Returns undefined if no picture was sent: browsers send an empty file for an
 * empty field.
 */
async function storedPicture(
  services: Pick<Services, 'entries' | 'askInstance' | 'workshop' | 'random'>,
  viewer: string,
  which: 'avatar' | 'header',
  file: Uploaded | undefined,
): Promise<string | undefined | Problem> {
  if (file === undefined || file.bytes.length === 0) return undefined;
  const [width, height] = SIZES[which];
  const isSmall = file.bytes.length <= PICTURE_BYTES_MAX;
  const key = await mediaKey(services, viewer);
  const picture = isSmall ? await services.workshop.rectangle(file.bytes, width, height, key) : undefined;
  if (picture !== undefined) return picture.name;
  const description = isSmall ? 'is not an image that can be read' : 'must be less than 8 MB';
  const label = which === 'avatar' ? 'Avatar' : 'Header';
  return problem('invalid', `Validation failed: ${label} ${description}`, {
    [which]: [{ error: 'ERR_INVALID', description }],
  });
}

/** Removes the stored pictures of a change that was refused. */
async function refused(
  services: Pick<Services, 'workshop'>,
  stored: Pictures | object,
  why: Problem,
): Promise<Problem> {
  for (const name of Object.values(stored)) await services.workshop.remove(String(name));
  return why;
}
