import { Type } from '@sinclair/typebox';
import { fileUrl } from '../../../actors/domain/media.js';
import type { AccountMedia } from '../../../proto/gen/types.js';
import { entity, nullable, oneOf, type Shape, uri } from '../../http/entity.js';
import { remoteMediaUrl } from '../../settings/remote-media.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's MetaDetails. */
const MetaDetails = entity('MetaDetails', {
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
  size: Type.Optional(Type.String()),
  aspect: Type.Optional(Type.Number()),
  /** Seconds. */
  duration: Type.Optional(Type.Number()),
  /** Bits per second. */
  bitrate: Type.Optional(Type.Integer()),
  frame_rate: Type.Optional(Type.String()),
});
type MetaDetails = Shape<typeof MetaDetails>;

/** The REST API's MediaAttachment. */
export const MediaAttachment = entity('MediaAttachment', {
  id: Type.String(),
  type: oneOf('unknown', 'image', 'gifv', 'video', 'audio'),
  /** Null until the file is processed. */
  url: nullable(uri()),
  preview_url: nullable(uri()),
  remote_url: nullable(uri()),
  preview_remote_url: nullable(uri()),
  text_url: nullable(uri()),
  meta: Type.Object({
    focus: Type.Optional(Type.Object({ x: Type.Number(), y: Type.Number() })),
    original: Type.Optional(MetaDetails),
    small: Type.Optional(MetaDetails),
  }),
  description: nullable(Type.String()),
  blurhash: nullable(Type.String()),
});
export type MediaAttachment = Shape<typeof MediaAttachment>;

const NONE: readonly MediaAttachment[] = [];

/** @param statusId the status that has the media; needed for those of other servers */
export function renderMediaList(
  instance: InstanceSettings,
  list: { readonly media: readonly AccountMedia[] } | undefined,
  statusId = '',
): readonly MediaAttachment[] {
  return list === undefined ? NONE : list.media.map((media) => renderMedia(instance, media, statusId));
}

export function renderMedia(instance: InstanceSettings, media: AccountMedia, statusId = ''): MediaAttachment {
  const url = (name: string) => (name === '' ? null : fileUrl(instance.baseUrl, name));
  const isReady = media.state === 'ready';
  const { remote } = media;
  const proxied = remote && remoteMediaUrl(instance, { of: 'statuses', id: statusId }, remote.url);
  return {
    id: media.id,
    type: media.kind,
    url: proxied ?? (isReady ? url(media.file) : null),
    preview_url: proxied === undefined ? url(media.preview) : remotePreview(media, proxied),
    remote_url: remote?.url ?? null,
    preview_remote_url: null,
    text_url: null,
    meta: isReady ? metaOf(media) : {},
    description: media.description === '' ? null : media.description,
    blurhash: media.blurhash === '' ? null : media.blurhash,
  };
}

/** Returns the address of a preview, which clients show as an image; null for a remote file that is none. */
const remotePreview = ({ kind }: AccountMedia, url: string) => (kind === 'image' ? url : null);

function metaOf(media: AccountMedia): MediaAttachment['meta'] {
  const { focus, previewWidth, previewHeight } = media;
  return {
    ...(focus === undefined ? {} : { focus: { x: focus.x, y: focus.y } }),
    original: { ...sizeOf(media.width, media.height), ...timesOf(media) },
    ...(previewWidth > 0 ? { small: sizeOf(previewWidth, previewHeight) } : {}),
  };
}

function sizeOf(width: number, height: number): MetaDetails {
  return width === 0 || height === 0 ? {} : { width, height, size: `${width}x${height}`, aspect: width / height };
}

function timesOf({ durationS, bitsPerS, framesPerS }: AccountMedia): MetaDetails {
  return {
    ...(durationS > 0 ? { duration: durationS } : {}),
    ...(bitsPerS > 0 ? { bitrate: bitsPerS } : {}),
    ...(framesPerS > 0 ? { frame_rate: `${Math.round(framesPerS * 1_000)}/1000` } : {}),
  };
}
