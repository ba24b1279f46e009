/** Kinds of uploads, as the API names them. */
export type MediaKind = 'image' | 'gifv' | 'video' | 'audio';

/** Attachments of one status. Source: Mastodon Status::MEDIA_ATTACHMENTS_LIMIT. */
export const STATUS_MEDIA_MAX = 4;
/**
 * Characters of an upload's description, counted by `countChars`. Source: Mastodon
 * MediaAttachment::MAX_DESCRIPTION_LENGTH.
 */
export const DESCRIPTION_CHARS_MAX = 1_500;
/** Source: Mastodon MediaAttachment::IMAGE_LIMIT. */
export const IMAGE_BYTES_MAX = 16 * 1_048_576;
/** Bytes of a video or audio file. Source: Mastodon MediaAttachment::VIDEO_LIMIT. */
export const VIDEO_BYTES_MAX = 99 * 1_048_576;
/** Pixels of an uploaded image, all frames together. Bounds the memory of decoding to some 130 MB. Source: Mastodon. */
export const IMAGE_PIXELS_MAX = 33_177_600;
/** Pixels of one frame of a video: 4K. Source: Mastodon MediaAttachment::MAX_VIDEO_MATRIX_LIMIT. */
export const VIDEO_PIXELS_MAX = 8_294_400;
/** Source: Mastodon MediaAttachment::MAX_VIDEO_FRAME_RATE. */
export const VIDEO_FRAMES_PER_S_MAX = 120;

/** Media types by the extension of a stored file, which follows from its content. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  wav: 'audio/wav',
  aac: 'audio/aac',
};

/** Media types that may be uploaded, for file dialogs. The content decides, not the type that a client names. */
export const UPLOAD_TYPES: readonly string[] = Object.values(TYPES);

/** Returns the media type of a stored file; undefined for other names. */
export function fileType(name: string): string | undefined {
  return TYPES[extensionOf(name)];
}

export function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Pattern of names of stored files: 32 random hexadecimal digits, the variant, and the type. */
export const FILE_NAME = '^[0-9a-f]{32}(\\.(small|static))?\\.[a-z0-9]{3,4}$';

/** Returns the address under which the gateway serves a stored file. */
export function fileUrl(baseUrl: string, name: string): string {
  return `${baseUrl}/media/${name}`;
}
