/** What clients call the kind of an upload. */
export type MediaKind = 'image' | 'gifv' | 'video' | 'audio';

/** Of one status. Source: Mastodon Status::MEDIA_ATTACHMENTS_LIMIT. */
export const STATUS_MEDIA_MAX = 4;
/** Of an upload's description, as countChars counts. Source: Mastodon MediaAttachment::MAX_DESCRIPTION_LENGTH. */
export const DESCRIPTION_CHARS_MAX = 1_500;
/** Source: Mastodon MediaAttachment::IMAGE_LIMIT. */
export const IMAGE_BYTES_MAX = 16 * 1_048_576;
/** Of video and audio. Source: Mastodon MediaAttachment::VIDEO_LIMIT. */
export const VIDEO_BYTES_MAX = 99 * 1_048_576;
/** Of an image as it comes, all frames together; bounds what decoding takes to some 130 MB. Source: Mastodon. */
export const IMAGE_PIXELS_MAX = 33_177_600;
/** Of one frame of a video: 4K. Source: Mastodon MediaAttachment::MAX_VIDEO_MATRIX_LIMIT. */
export const VIDEO_PIXELS_MAX = 8_294_400;
/** Source: Mastodon MediaAttachment::MAX_VIDEO_FRAME_RATE. */
export const VIDEO_FRAMES_PER_S_MAX = 120;

/** By the end of a stored file's name, which is chosen by what its bytes are. */
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

/** What may be uploaded, for people who choose a file. Content decides, not what a client calls it. */
export const UPLOAD_TYPES: readonly string[] = Object.values(TYPES);

/** The type of a stored file; undefined for names that no stored file has. */
export function fileType(name: string): string | undefined {
  return TYPES[extensionOf(name)];
}

export function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Names of stored files: 32 hexadecimal digits that nobody guesses, what it is to the upload, its type. */
export const FILE_NAME = '^[0-9a-f]{32}(\\.(small|static))?\\.[a-z0-9]{3,4}$';

/** Where the gateway serves a stored file. */
export function fileUrl(baseUrl: string, name: string): string {
  return `${baseUrl}/media/${name}`;
}
