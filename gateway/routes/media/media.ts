import { createHash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { DESCRIPTION_CHARS_MAX, IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from '../../../actors/domain/media.js';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import type { AccountDescribeMedia, AccountMedia, StoreMediaRecord } from '../../../proto/gen/types.js';
import { mediaRows } from '../../../store/tables.js';
import { type Answer, type AnyRoute, json, type Request, route, type Uploaded, uploaded } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { idParams } from '../../pages/answers.js';
import { MediaAttachment, renderMedia } from '../../pages/status/media.js';
import { focusOf } from '../../posting/media-focus.js';
import { CHANCE_BYTES, mediaKey } from '../../posting/media-names.js';
import { notFound } from '../../viewing/visible.js';

/** Largest form: the file, a thumbnail and the other fields. */
export const UPLOAD_BYTES_MAX = VIDEO_BYTES_MAX + IMAGE_BYTES_MAX + 65_536;
/** Characters that are read; the actor counts visible characters. */
const DESCRIPTION_READ_MAX = DESCRIPTION_CHARS_MAX * 4;
/** Bytes hashed at each end of a file to identify it: hashing a whole film takes long. */
const LOOKED_AT_BYTES = 65_536;
/** Longest focus: two signed fractions. */
const FOCUS_CHARS_MAX = 64;

const described = {
  description: Type.Optional(Type.String({ maxLength: DESCRIPTION_READ_MAX })),
  focus: Type.Optional(Type.String({ maxLength: FOCUS_CHARS_MAX })),
  thumbnail: Type.Optional(uploaded()),
};
const Upload = Type.Object({ file: uploaded(), ...described });
const Description = Type.Object(described);
type Description = Static<typeof Description>;

const scope = 'write:media';

const upload = (path: string, patient: boolean): AnyRoute =>
  route({
    method: 'POST',
    path,
    idempotent: 'answer',
    auth: 'user',
    scope,
    body: Upload,
    multipartBytesMax: UPLOAD_BYTES_MAX,
    answer: MediaAttachment,
    successes: [200, 202],
    handle: async ({ services, viewer = '', body, once, newId }) => {
      const details = await detailsOf(services, viewer, body, newId);
      if (isProblem(details)) return details;
      const key = await mediaKey(services, viewer, chanceFor(newId ?? services.newPlainId(), body.file));
      const received = await services.workshop.receive(body.file.bytes, patient, key, details.preview !== undefined);
      if (isProblem(received)) return refused(services, received, [details.preview]);
      const media = withDetails(received, details);
      const added = await services.askAccount(viewer, 'addMedia', { media }, once);
      if (isProblem(added)) return refused(services, added, [received.file, received.preview, media.preview]);
      // A repeat with other bytes gets the first answer, so nothing refers to these files.
      if (added.key !== media.key) await removeFiles(services, [received.file, received.preview, media.preview]);
      return shown(services, added, 202);
    },
  });

const getMedia = route({
  method: 'GET',
  path: '/api/v1/media/:id',
  auth: 'user',
  scope,
  params: idParams,
  answer: MediaAttachment,
  successes: [200, 206],
  handle: async (request) => {
    const record = await ownMedia(request);
    return isProblem(record) ? record : shown(request.services, record.media, 206);
  },
});

const putMedia = route({
  method: 'PUT',
  path: '/api/v1/media/:id',
  auth: 'user',
  scope,
  params: idParams,
  body: Description,
  multipartBytesMax: IMAGE_BYTES_MAX + 65_536,
  answer: MediaAttachment,
  handle: async (request) => {
    const { services, viewer = '', body } = request;
    const record = await ownMedia(request);
    if (isProblem(record)) return record;
    const details = await detailsOf(services, viewer, body);
    if (isProblem(details)) return details;
    const changed = await services.askAccount(viewer, 'describeMedia', { id: record.media.id, ...details });
    if (!isProblem(changed)) return shown(services, changed, 206);
    // The name of the preview is random, so nothing else refers to it.
    if (details.preview !== undefined) await removeFiles(services, [details.preview]);
    return changed;
  },
});

const deleteMedia = route({
  method: 'DELETE',
  path: '/api/v1/media/:id',
  auth: 'user',
  scope,
  params: idParams,
  answer: Type.Object({}),
  handle: async (request) => {
    const { services, viewer = '' } = request;
    const record = await ownMedia(request);
    if (isProblem(record)) return record;
    if (record.statusId !== undefined) return problem('invalid', 'Media attachment is currently used by a status');
    const removed = await services.askAccount(viewer, 'removeMedia', { id: record.media.id });
    return isProblem(removed) ? removed : json({});
  },
});

/** Uploads, before and after their use in a status. */
export const mediaRoutes: readonly AnyRoute[] = [
  upload('/api/v1/media', false),
  upload('/api/v2/media', true),
  getMedia,
  putMedia,
  deleteMedia,
];

type Owned = StoreMediaRecord & { readonly media: AccountMedia };

/** Returns the viewer's upload. An upload of another account gets a 404. */
async function ownMedia({
  services,
  viewer,
  params,
}: Pick<Request<{ id: string }, unknown, unknown>, 'services' | 'viewer' | 'params'>): Promise<Owned | Problem> {
  const record = await services.tables.get(mediaRows, { media: storedId(params.id) });
  return record?.media !== undefined && record.accountId === viewer ? (record as Owned) : notFound();
}

/** Answers with an upload. `unready` is the HTTP status while it is still being processed. */
function shown(
  services: Pick<Services, 'instance'>,
  media: AccountMedia,
  unready: number,
): Answer<MediaAttachment> | Problem {
  if (media.state === 'failed') return problem('invalid', 'Error processing media attachment');
  const body = renderMedia(services.instance, media);
  return media.state === 'ready' ? json(body) : { status: unready, body };
}

/** Removes the files of a refused upload: neither a row nor a repeat of the request refers to them. */
async function refused(
  services: Pick<Services, 'workshop'>,
  why: Problem,
  names: readonly (string | undefined)[],
): Promise<Problem> {
  await removeFiles(services, names);
  return why;
}

async function removeFiles(
  { workshop }: Pick<Services, 'workshop'>,
  names: readonly (string | undefined)[],
): Promise<void> {
  await Promise.all(names.map((name) => name && workshop.remove(name)));
}

/**
 * Returns a part of the file names. A repeat of the request with the same bytes stores them under the same names, so
 * that no copy is orphaned.
 */
function chanceFor(newId: string, { bytes, filename }: Uploaded): Uint8Array {
  const some = [bytes.subarray(0, LOOKED_AT_BYTES), bytes.subarray(-LOOKED_AT_BYTES)];
  const told = createHash('sha256').update(`${newId} ${bytes.length} ${filename}`);
  for (const part of some) told.update(part);
  return told.digest().subarray(0, CHANCE_BYTES);
}

type Details = Omit<AccountDescribeMedia, 'id'>;

async function detailsOf(
  services: Pick<Services, 'entries' | 'askInstance' | 'workshop' | 'random'>,
  viewer: string,
  { description, focus, thumbnail }: Description,
  newId?: string,
): Promise<Details | Problem> {
  const point = focus ? focusOf(focus) : undefined;
  if (isProblem(point)) return point;
  const preview = thumbnail === undefined ? undefined : await previewOf(services, viewer, thumbnail, newId);
  if (isProblem(preview)) return preview;
  return {
    description,
    focus: point,
    preview: preview?.name,
    previewWidth: preview?.width ?? 0,
    previewHeight: preview?.height ?? 0,
    blurhash: preview?.blurhash,
  };
}

const previewOf = async (
  services: Pick<Services, 'entries' | 'askInstance' | 'workshop' | 'random'>,
  viewer: string,
  file: Uploaded,
  newId?: string,
) => {
  const chance = newId === undefined ? undefined : chanceFor(`${newId} thumbnail`, file);
  return services.workshop.preview(file.bytes, await mediaKey(services, viewer, chance));
};

function withDetails(media: AccountMedia, { preview, previewWidth, previewHeight, blurhash, ...rest }: Details) {
  const own = preview === undefined ? {} : { preview, previewWidth, previewHeight, blurhash: blurhash ?? '' };
  return { ...media, ...own, description: rest.description?.trim() ?? '', focus: rest.focus };
}
