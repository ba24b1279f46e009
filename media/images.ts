import { encode } from 'blurhash';
import type sharpModule from 'sharp';
import type { Sharp as SharpImage } from 'sharp';
import { IMAGE_PIXELS_MAX } from '../actors/domain/media.js';
import { cleanGif } from './gif.js';
import { withoutExtras } from './png.js';
import { type Format, sniff } from './sniff.js';

/** A picture to store. */
export interface Picture {
  readonly bytes: Uint8Array;
  /** The extension of its file name. */
  readonly extension: 'png' | 'jpg' | 'webp' | 'gif';
  readonly width: number;
  readonly height: number;
}

/** An upload that is safe to show. */
export interface Shown {
  readonly original: Picture;
  readonly preview: Picture;
  readonly blurhash: string;
}

/**
 * Maximum size of a stored picture in pixels; larger ones are scaled down. Source: Mastodon MediaAttachment, 3840 ×
 * 2160.
 */
const STORED_PIXELS_MAX = 8_294_400;
/** Maximum size of a preview in pixels. Source: Mastodon MediaAttachment, 640 × 360. */
const PREVIEW_PIXELS_MAX = 230_400;
/** Maximum length of one side: the limit of decoders and browsers. */
const SIDE_MAX = 16_383;
/** Side in pixels of the picture from which a blurhash is computed; the hash has 4 × 4 components. */
const HASHED_SIDE = 32;
const HASH_PARTS = 4;
const JPEG_QUALITY = 90;
const WEBP_QUALITY = 90;
const PREVIEW_QUALITY = 82;

type Sharp = typeof sharpModule;

let loaded: Promise<Sharp> | undefined;

/** Loads sharp with the first picture: it takes some 30 MB. */
function sharp(): Promise<Sharp> {
  loaded ??= import('sharp').then(({ default: made }) => {
    // Only the decoders named here run, whatever the bytes claim to be.
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
    // One thread, because several processes work on pictures already (parsers/parser-pool.ts).
    made.concurrency(1);
    return made;
  });
  return loaded;
}

const READ = { limitInputPixels: IMAGE_PIXELS_MAX, sequentialRead: true, failOn: 'error' } as const;

/** Decodes and re-encodes the picture, upright and without metadata. Undefined: not an image. */
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

/** Crops to fill a rectangle, centred: avatars, headers. `moving`: a GIF may stay one. */
export async function cut(upload: Uint8Array, width: number, height: number): Promise<Picture | undefined> {
  return attempt(upload, async (make, bytes) => {
    const { hasAlpha } = await make(bytes, READ).metadata();
    const image = make(bytes, READ).autoOrient().resize(width, height, { fit: 'cover' });
    return finished(image, hasAlpha, JPEG_QUALITY);
  });
}

/** Scales to fit a square, as PNG: custom emoji. */
export async function small(upload: Uint8Array, side: number): Promise<Picture | undefined> {
  return attempt(upload, async (make, bytes) => {
    const image = make(bytes, READ).autoOrient().resize(side, side, { fit: 'inside', withoutEnlargement: true });
    const { data, info } = await image.png().toBuffer({ resolveWithObject: true });
    return { bytes: data, extension: 'png', width: info.width, height: info.height };
  });
}

/** Creates only the preview, for a picture that represents something else: a film's cover, a link's image. */
export async function previewOf(upload: Uint8Array): Promise<Pick<Shown, 'preview' | 'blurhash'> | undefined> {
  return attempt(upload, async (make, bytes) => {
    const { autoOrient, hasAlpha } = await make(bytes, READ).metadata();
    const size = fitted(autoOrient.width, autoOrient.height, PREVIEW_PIXELS_MAX);
    const preview = await scaled(make, bytes, size, hasAlpha, PREVIEW_QUALITY);
    return { preview, blurhash: await hashOf(make, preview.bytes) };
  });
}

/** Returns undefined if sharp rejects the bytes. Its reasons do not help the uploader. */
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

/** Uses the size of the header, at which browsers show it: the decoder replaces odd sizes by the first frame's. */
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

/** Returns the largest size of the same shape within so many pixels, never above the original. */
function fitted(width: number, height: number, pixelsMax: number): { width: number; height: number } {
  const factor = Math.min(1, Math.sqrt(pixelsMax / (width * height)));
  return { width: Math.max(1, Math.floor(width * factor)), height: Math.max(1, Math.floor(height * factor)) };
}
