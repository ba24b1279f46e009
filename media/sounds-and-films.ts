import { VIDEO_FRAMES_PER_S_MAX, VIDEO_PIXELS_MAX } from '../actors/domain/media.js';
import { findMovie, type Range, readMovie } from './iso-media.js';
import type { Format } from './sniff.js';
import { firstCluster } from './webm-tags.js';

/** The parts of a file that describe it. The rest may have 99 MB. */
export interface Excerpt {
  readonly format: Format;
  /** Size of the whole file in bytes. */
  readonly size: number;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** ISO media: the header including its box. */
  readonly movie: Uint8Array | undefined;
}

/** Properties of a sound or film. */
export interface Probed {
  readonly kind: 'video' | 'audio';
  readonly width: number;
  readonly height: number;
  readonly framesPerS: number;
  readonly durationS: number;
  readonly bitsPerS: number;
  /** The extension of its file name. */
  readonly extension: Format;
  /** ISO media: boxes of the header to blank, relative to the header's start. */
  readonly private: readonly Range[];
}

const MIME: Readonly<Partial<Record<Format, string>>> = {
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  wav: 'audio/wav',
  aac: 'audio/aac',
};
const ISO = new Set<Format>(['mp4', 'mov', 'm4a']);
/** Size of the head that contains the headers; the parser skips pictures in them. */
const HEAD_BYTES = 1_048_576;
/** Size of the head of sounds without a header: the first frames, of some 400 bytes each, identify them. */
const FRAMES_BYTES = 65_536;
/** Maximum size of the last page of an Ogg file (RFC 3533 §6). */
const TAIL_BYTES = 65_307;

/** An excerpt, and the offset of the header of ISO media. */
export interface Parts {
  readonly excerpt: Excerpt;
  readonly movieFrom: number;
}

/** Returns the parts of a file that `probe` needs. Undefined: malformed. */
export function excerptOf(bytes: Buffer, format: Format): Parts | undefined {
  const range = ISO.has(format) ? findMovie(bytes) : NO_RANGE;
  if (range === undefined) return undefined;
  const isFramed = format === 'mp3' || format === 'aac';
  const usualBytes = ISO.has(format) ? 0 : isFramed ? FRAMES_BYTES : HEAD_BYTES;
  // The parser fails at clusters of unknown size, which browsers record.
  const headBytes = format === 'webm' ? Math.min(usualBytes, firstCluster(bytes)) : usualBytes;
  const excerpt = {
    format,
    size: bytes.length,
    head: bytes.subarray(0, headBytes),
    tail: format === 'ogg' ? bytes.subarray(-TAIL_BYTES) : bytes.subarray(0, 0),
    movie: ISO.has(format) ? bytes.subarray(range.from, range.to) : undefined,
  };
  return { excerpt, movieFrom: range.from };
}

const NO_RANGE: Range = { from: 0, to: 0 };

/** Reads the excerpt of a sound or film. Undefined: it is neither, or larger than allowed. */
export async function probe(excerpt: Excerpt): Promise<Probed | undefined> {
  const read = excerpt.movie === undefined ? await readHeader(excerpt) : readFilm(excerpt.movie, excerpt.size);
  if (read === undefined) return undefined;
  const { width, height, framesPerS, durationS, bitsPerS } = read;
  if (width * height > VIDEO_PIXELS_MAX || framesPerS > VIDEO_FRAMES_PER_S_MAX) return undefined;
  const kind = width > 0 ? 'video' : 'audio';
  const { format } = excerpt;
  // A container for films that contains only sound.
  const extension = kind === 'audio' && (format === 'mp4' || format === 'mov') ? 'm4a' : format;
  return { kind, width, height, framesPerS, durationS, bitsPerS, extension, private: read.private };
}

type Header = Omit<Probed, 'kind' | 'extension'>;

function readFilm(movie: Uint8Array, size: number): Header | undefined {
  const film = readMovie(Buffer.from(movie.buffer, movie.byteOffset, movie.byteLength));
  return film && { ...film, bitsPerS: film.durationS === 0 ? 0 : Math.round((size * 8) / film.durationS) };
}

async function readHeader({ format, size, head, tail }: Excerpt): Promise<Header | undefined> {
  const [{ parseFromTokenizer }, { fromBuffer }] = await Promise.all([import('music-metadata'), import('strtok3')]);
  const tokenizer = fromBuffer(head, { fileInfo: { mimeType: MIME[format] ?? '' } });
  // The parser computes lengths from the size, but must not read beyond the head.
  tokenizer.fileInfo.size = size;
  tokenizer.supportsRandomAccess = () => false;
  try {
    // Without `duration` the parser stops after the header and does not step through all frames.
    const options = { duration: false, skipCovers: true, skipPostHeaders: true };
    const { format: found } = await parseFromTokenizer(tokenizer, options);
    const video = found.trackInfo.find((track) => track.video !== undefined)?.video;
    const isPlayable = found.codec !== undefined || found.trackInfo.length > 0 || (found.duration ?? 0) > 0;
    if (!isPlayable) return undefined;
    const durationS = positive(
      (format === 'ogg' ? oggDurationS(tail, found.codec, found.sampleRate) : undefined) ??
        found.duration ??
        (size * 8) / (found.bitrate ?? Number.POSITIVE_INFINITY),
    );
    return {
      durationS,
      bitsPerS: Math.round(positive(durationS > 0 ? (found.bitrate ?? (size * 8) / durationS) : found.bitrate)),
      width: video?.displayWidth ?? video?.pixelWidth ?? 0,
      height: video?.displayHeight ?? video?.pixelHeight ?? 0,
      framesPerS: 0,
      private: [],
    };
  } catch {
    // A file that the parser rejects cannot be played either.
    return undefined;
  }
}

const positive = (value: number | undefined): number =>
  value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;

/** Sample rate in which Opus counts, whatever the rate of the recording (RFC 7845 §4). */
const OPUS_SAMPLES_PER_S = 48_000;

/** Computes the duration from the last page, which states the number of samples so far (RFC 3533 §6). */
function oggDurationS(
  tail: Uint8Array,
  codec: string | undefined,
  samplesPerS: number | undefined,
): number | undefined {
  const bytes = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength);
  const at = bytes.lastIndexOf('OggS', undefined, 'latin1');
  if (at < 0 || at + 14 > bytes.length) return undefined;
  const samples = Number(bytes.readBigInt64LE(at + 6));
  const rate = codec?.toLowerCase().startsWith('opus') === true ? OPUS_SAMPLES_PER_S : samplesPerS;
  return samples > 0 && rate !== undefined && rate > 0 ? samples / rate : undefined;
}
