import { encode } from 'blurhash';
import type sharpModule from 'sharp';
import type { Sharp as SharpImage } from 'sharp';
import { IMAGE_PIXELS_MAX } from '../actors/domain/media.js';
import { cleanGif } from './gif.js';
import { withoutExtras } from './png.js';
import { type Format, sniff } from './sniff.js';

/** A picture to be stored. */
export interface Picture {
  readonly bytes: Uint8Array;
  /** The end of its name. */
  readonly extension: 'png' | 'jpg' | 'webp' | 'gif';
  readonly width: number;
  readonly height: number;
}

/** An upload made safe to show. */
export interface Shown {
  readonly original: Picture;
  readonly preview: Picture;
  readonly blurhash: string;
}

/** Of what is stored; larger ones are scaled down. Source: Mastodon MediaAttachment, 3840 × 2160. */
const STORED_PIXELS_MAX = 8_294_400;
/** Of a preview. Source: Mastodon MediaAttachment, 640 × 360. */
const PREVIEW_PIXELS_MAX = 230_400;
/** One side at the most: what decoders and browsers take. */
const SIDE_MAX = 16_383;
/** Pixels that a blurhash is made of: it has 4 × 4 parts. */
const HASHED_SIDE = 32;
const HASH_PARTS = 4;
const JPEG_QUALITY = 90;
const WEBP_QUALITY = 90;
const PREVIEW_QUALITY = 82;

type Sharp = typeof sharpModule;

let loaded: Promise<Sharp> | undefined;

/** Loaded when the first picture comes: it takes some 30 MB. */
function sharp(): Promise<Sharp> {
  loaded ??= import('sharp').then(({ default: made }) => {
    // What is not named here is not read, whatever its bytes claim to be.
    made.block({ operation: ['VipsForeignLoad'] });
    made.unblock({
      operation: [
        'VipsForeignLoadPngBuffer',
        'VipsForeignLoadJpegBuffer',
        'VipsForeignLoadWebpBuffer',
        'VipsForeignLoadHeifBuffer',
        'VipsForeignLoadNsgifBuffer',
      ],
    });
    made.cache(false);
    // Pictures are made in several processes already (parsers/parser-pool.ts).
    made.concurrency(1);
    return made;
  });
  return loaded;
}

const READ = { limitInputPixels: IMAGE_PIXELS_MAX, sequentialRead: true, failOn: 'error' } as const;

/** Decodes and encodes the picture anew, upright, with nothing in it but the picture. Undefined: no image. */
export async function showable(upload: Uint8Array, format: Format): Promise<Shown | undefined> {
  return attempt(upload, async (make, bytes) => {
    const moving = format === 'gif' ? gif(bytes) : undefined;
    if (format === 'gif' && moving === undefined) return undefined;
    const about = await make(bytes, READ).metadata();
    const { width, height } = about.autoOrient;
    const frames = about.pages ?? 1;
    if (!isAdmitted(width, height, frames)) return undefined;
    const original = moving ?? (await encoded(make, bytes, format, { frames, ...about }));
    const preview = await scaled(
      make,
      bytes,
      fitted(width, height, PREVIEW_PIXELS_MAX),
      about.hasAlpha,
      PREVIEW_QUALITY,
    );
    return { original, preview, blurhash: await hashOf(make, preview.bytes) };
  });
}

/** Cut to fill a rectangle, the middle kept: avatars, headers. `moving`: a GIF may stay one. */
export async function cut(upload: Uint8Array, width: number, height: number): Promise<Picture | undefined> {
  return attempt(upload, async (make, bytes) => {
    const { hasAlpha } = await make(bytes, READ).metadata();
    const image = make(bytes, READ).autoOrient().resize(width, height, { fit: 'cover' });
    return finished(image, hasAlpha, JPEG_QUALITY);
  });
}

/** At most so large, as PNG: custom emoji. */
export async function small(upload: Uint8Array, side: number): Promise<Picture | undefined> {
  return attempt(upload, async (make, bytes) => {
    const image = make(bytes, READ).autoOrient().resize(side, side, { fit: 'inside', withoutEnlargement: true });
    const { data, info } = await image.png().toBuffer({ resolveWithObject: true });
    return { bytes: data, extension: 'png', width: info.width, height: info.height };
  });
}

/** A preview alone, of a picture that stands for something else: a film's cover, a link's image. */
export async function previewOf(upload: Uint8Array): Promise<Pick<Shown, 'preview' | 'blurhash'> | undefined> {
  return attempt(upload, async (make, bytes) => {
    const { autoOrient, hasAlpha } = await make(bytes, READ).metadata();
    const size = fitted(autoOrient.width, autoOrient.height, PREVIEW_PIXELS_MAX);
    const preview = await scaled(make, bytes, size, hasAlpha, PREVIEW_QUALITY);
    return { preview, blurhash: await hashOf(make, preview.bytes) };
  });
}

/** Undefined: sharp refuses the bytes. Its reasons tell nobody anything. */
async function attempt<T>(
  upload: Uint8Array,
  work: (make: Sharp, bytes: Uint8Array) => Promise<T | undefined>,
): Promise<T | undefined> {
  const bytes = sniff(upload) === 'png' ? withoutExtras(upload) : upload;
  if (bytes === undefined) return undefined;
  const make = await sharp();
  try {
    return await work(make, bytes);
  } catch {
    return undefined;
  }
}

function isAdmitted(width: number, height: number, frames: number): boolean {
  return width <= SIDE_MAX && height <= SIDE_MAX && width * height * frames <= IMAGE_PIXELS_MAX;
}

/** The size is the header's, at which browsers show it: the decoder replaces odd ones by the first frame's size. */
function gif(bytes: Uint8Array): Picture | undefined {
  const cleaned = cleanGif(bytes);
  if (cleaned === undefined || !isAdmitted(cleaned.width, cleaned.height, cleaned.frames)) return undefined;
  const { width, height } = cleaned;
  return { bytes: cleaned.bytes, extension: 'gif', width, height };
}

interface About {
  readonly frames: number;
  readonly hasAlpha: boolean;
  readonly autoOrient: { readonly width: number; readonly height: number };
}

async function encoded(make: Sharp, bytes: Uint8Array, format: Format, about: About): Promise<Picture> {
  const { width, height } = fitted(about.autoOrient.width, about.autoOrient.height, STORED_PIXELS_MAX);
  const moves = format === 'webp' && about.frames > 1;
  const image = make(bytes, { ...READ, animated: moves })
    .autoOrient()
    .resize(width, height, { fit: 'fill' });
  if (format === 'png') return picture(await image.png().toBuffer(), 'png', width, height);
  if (format === 'jpg') {
    return picture(await image.jpeg({ quality: JPEG_QUALITY, progressive: true }).toBuffer(), 'jpg', width, height);
  }
  return picture(await image.webp({ quality: WEBP_QUALITY }).toBuffer(), 'webp', width, height);
}

async function scaled(
  make: Sharp,
  bytes: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  hasAlpha: boolean,
  quality: number,
): Promise<Picture> {
  return finished(make(bytes, READ).autoOrient().resize(width, height, { fit: 'fill' }), hasAlpha, quality);
}

async function finished(image: SharpImage, hasAlpha: boolean, quality: number): Promise<Picture> {
  const made = hasAlpha ? image.webp({ quality }) : image.jpeg({ quality, progressive: true });
  const { data, info } = await made.toBuffer({ resolveWithObject: true });
  return picture(data, hasAlpha ? 'webp' : 'jpg', info.width, info.height);
}

function picture(bytes: Uint8Array, extension: Picture['extension'], width: number, height: number): Picture {
  return { bytes, extension, width, height };
}

async function hashOf(make: Sharp, bytes: Uint8Array): Promise<string> {
  const { data, info } = await make(bytes, READ)
    .resize(HASHED_SIDE, HASHED_SIDE, { fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return encode(new Uint8ClampedArray(data), info.width, info.height, HASH_PARTS, HASH_PARTS);
}

/** The same shape within so many pixels, never larger than it is. */
function fitted(width: number, height: number, pixelsMax: number): { width: number; height: number } {
  const factor = Math.min(1, Math.sqrt(pixelsMax / (width * height)));
  return { width: Math.max(1, Math.floor(width * factor)), height: Math.max(1, Math.floor(height * factor)) };
}
