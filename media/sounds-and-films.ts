import { VIDEO_FRAMES_PER_S_MAX, VIDEO_PIXELS_MAX } from '../actors/domain/media.js';
import { readFilm } from './iso-media.js';
import type { Format } from './sniff.js';

/** What a sound or film is, by its header. */
export interface Probed {
  readonly kind: 'video' | 'audio';
  readonly width: number;
  readonly height: number;
  readonly framesPerS: number;
  readonly durationS: number;
  readonly bitsPerS: number;
  /** The end of its name. */
  readonly extension: Format;
}

const MIME: Readonly<Partial<Record<Format, string>>> = {
  mp4: 'video/mp4',
  mov: 'video/mp4',
  m4a: 'audio/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  wav: 'audio/wav',
  aac: 'audio/aac',
};

/**
 * Reads the header; of ISO media also blanks, in `bytes`, what says where it was made. Undefined: it is no such
 * thing, or larger than anything that is taken.
 */
export async function probe(bytes: Buffer, format: Format): Promise<Probed | undefined> {
  const film = format === 'mp4' || format === 'mov' || format === 'm4a' ? readFilm(bytes) : NO_FILM;
  if (film === undefined) return undefined;
  const read = await readHeader(bytes, format);
  if (read === undefined) return undefined;
  const { durationS, bitsPerS } = read;
  const { width, height } = film.width > 0 ? film : read;
  if (width * height > VIDEO_PIXELS_MAX || film.framesPerS > VIDEO_FRAMES_PER_S_MAX) return undefined;
  const kind = width > 0 ? 'video' : 'audio';
  // A container for films with sound alone in it.
  const extension = kind === 'audio' && (format === 'mp4' || format === 'mov') ? 'm4a' : format;
  return { kind, width, height, framesPerS: film.framesPerS, durationS, bitsPerS, extension };
}

const NO_FILM = { width: 0, height: 0, framesPerS: 0 };

async function readHeader(bytes: Buffer, format: Format) {
  const { parseBuffer } = await import('music-metadata');
  try {
    const options = { duration: format === 'mp3' || format === 'aac', skipCovers: true, skipPostHeaders: true };
    const { format: found } = await parseBuffer(bytes, { mimeType: MIME[format] ?? '', size: bytes.length }, options);
    const video = found.trackInfo.find((track) => track.video !== undefined)?.video;
    const isPlayable = found.codec !== undefined || found.trackInfo.length > 0 || (found.duration ?? 0) > 0;
    if (!isPlayable) return undefined;
    return {
      durationS: Math.max(0, found.duration ?? 0),
      bitsPerS: Math.round(found.bitrate ?? 0),
      width: video?.displayWidth ?? video?.pixelWidth ?? 0,
      height: video?.displayHeight ?? video?.pixelHeight ?? 0,
    };
  } catch {
    // Whatever a parser stumbles over is not played either.
    return undefined;
  }
}
