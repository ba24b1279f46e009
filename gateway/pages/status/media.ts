import { fileUrl } from '../../../actors/domain/media.js';
import type { AccountMedia } from '../../../proto/gen/types.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's MetaDetails. */
interface MetaDetails {
  readonly width?: number;
  readonly height?: number;
  readonly size?: string;
  readonly aspect?: number;
  /** Seconds. */
  readonly duration?: number;
  /** Bits per second. */
  readonly bitrate?: number;
  readonly frame_rate?: string;
}

/** The REST API's MediaAttachment. */
export interface MediaAttachment {
  readonly id: string;
  readonly type: string;
  /** Null until the file is processed. */
  readonly url: string | null;
  readonly preview_url: string | null;
  readonly remote_url: string | null;
  readonly preview_remote_url: string | null;
  readonly text_url: string | null;
  readonly meta: {
    readonly focus?: { readonly x: number; readonly y: number };
    readonly original?: MetaDetails;
    readonly small?: MetaDetails;
  };
  readonly description: string | null;
  readonly blurhash: string | null;
}

const NONE: readonly MediaAttachment[] = [];

export function renderMediaList(
  instance: InstanceSettings,
  list: { readonly media: readonly AccountMedia[] } | undefined,
): readonly MediaAttachment[] {
  return list === undefined ? NONE : list.media.map((media) => renderMedia(instance, media));
}

export function renderMedia(instance: InstanceSettings, media: AccountMedia): MediaAttachment {
  const url = (name: string) => (name === '' ? null : fileUrl(instance.baseUrl, name));
  const isReady = media.state === 'ready';
  return {
    id: media.id,
    type: media.kind,
    url: isReady ? url(media.file) : null,
    preview_url: url(media.preview),
    remote_url: null,
    preview_remote_url: null,
    text_url: null,
    meta: isReady ? metaOf(media) : {},
    description: media.description === '' ? null : media.description,
    blurhash: media.blurhash === '' ? null : media.blurhash,
  };
}

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
