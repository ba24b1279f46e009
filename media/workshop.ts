import { IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from '../actors/domain/media.js';
import { isProblem, type Problem, problem } from '../actors/domain/problem.js';
import type { Random } from '../actors/domain/time.js';
import type { AccountMedia } from '../proto/gen/types.js';
import { type MediaStore, readWhole } from '../store/media.js';
import type { Picture, Shown } from './images.js';
import { blank as blankBox } from './iso-media.js';
import { type Format, sniff } from './sniff.js';
import { type Excerpt, excerptOf, type Probed } from './sounds-and-films.js';
import { afterId3, withoutTags } from './tags.js';

/**
 * Parsers of uploads, which run in processes where they cannot harm the node. Each resolves with undefined for bytes
 * that are not what they claim to be, or that take too much time or memory, and rejects with Unavailable when too many
 * jobs wait.
 */
export interface MediaParsers {
  /** True when a job would begin at once. */
  readonly free: boolean;
  showable(bytes: Uint8Array, format: Format): Promise<Shown | undefined>;
  cut(bytes: Uint8Array, width: number, height: number): Promise<Picture | undefined>;
  small(bytes: Uint8Array, side: number): Promise<Picture | undefined>;
  previewOf(bytes: Uint8Array): Promise<Pick<Shown, 'preview' | 'blurhash'> | undefined>;
  probe(excerpt: Excerpt): Promise<Probed | undefined>;
}

/** Size from which on an image is processed after the answer, if the client allows it. */
const QUICK_BYTES_MAX = 2 * 1_048_576;

const IMAGES = new Set<Format>(['png', 'jpg', 'webp', 'avif', 'gif']);

/** A stored picture. */
export interface StoredPicture {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Turns uploads into stored and shown files. All methods reject with Unavailable when the store is unavailable or too
 * many jobs wait.
 */
export class Workshop {
  constructor(
    private readonly store: MediaStore,
    private readonly random: Pick<Random, 'bytes'>,
    private readonly parsers: MediaParsers,
  ) {}

  /**
   * Stores the files of an upload; id, description and focus are still missing. `patient`: slow work may be postponed,
   * the bytes stored as received. `key`: 32 hexadecimal digits that begin the names, random by default. `hasPreview`:
   * the client supplies a preview, so none is created.
   */
  async receive(
    upload: Uint8Array,
    patient: boolean,
    key = this.newKey(),
    hasPreview = false,
  ): Promise<AccountMedia | Problem> {
    const bytes = afterId3(Buffer.from(upload.buffer, upload.byteOffset, upload.byteLength));
    const format = sniff(bytes);
    if (format === undefined) return badFile('is not of a type that is supported');
    const isImage = IMAGES.has(format);
    const bytesMax = isImage ? IMAGE_BYTES_MAX : VIDEO_BYTES_MAX;
    if (bytes.length > bytesMax) return badFile(`must be less than ${bytesMax / 1_048_576} MB`);
    if (isImage && patient && (bytes.length > QUICK_BYTES_MAX || !this.parsers.free)) {
      // A name that is never served, because the file has not been cleaned.
      const file = `${key}.waiting`;
      await this.store.put(file, bytes);
      return { ...blank(key), state: 'waiting', kind: 'image', file };
    }
    const made = isImage
      ? await this.image(key, bytes, format, hasPreview)
      : await this.soundOrFilm(key, bytes, format);
    return made ?? badFile('could not be read');
  }

  /** Finishes a postponed upload. */
  async finish(waiting: AccountMedia): Promise<AccountMedia> {
    const bytes = await readWhole(this.store, waiting.file);
    const format = bytes && sniff(bytes);
    const made = format && (await this.image(waiting.key, bytes, format, waiting.preview !== ''));
    return made ?? { ...blank(waiting.key), state: 'failed', kind: waiting.kind };
  }

  /** Stores a preview that the client supplies. */
  async preview(
    bytes: Uint8Array,
    key = this.newKey(),
  ): Promise<(StoredPicture & { readonly blurhash: string }) | Problem> {
    const format = this.imageFormat(bytes);
    const made = format && (await this.parsers.previewOf(bytes));
    if (!made) return badFile('could not be read', 'thumbnail');
    return { ...(await this.put(key, '.small', made.preview)), blurhash: made.blurhash };
  }

  /** Stores the picture of a linked page. Undefined: not an image. */
  async cardImage(bytes: Uint8Array): Promise<(StoredPicture & { readonly blurhash: string }) | undefined> {
    const made = await this.preview(bytes);
    return isProblem(made) ? undefined : made;
  }

  /** Stores a picture cropped to a rectangle, for avatars and headers. Undefined: not an image. */
  async rectangle(
    bytes: Uint8Array,
    width: number,
    height: number,
    key = this.newKey(),
  ): Promise<StoredPicture | undefined> {
    const made = this.imageFormat(bytes) && (await this.parsers.cut(bytes, width, height));
    return made ? this.put(key, '', made) : undefined;
  }

  /** Stores a custom emoji. Undefined: not an image. */
  async emoji(bytes: Uint8Array, side: number): Promise<StoredPicture | undefined> {
    const made = this.imageFormat(bytes) && (await this.parsers.small(bytes, side));
    return made ? this.put(this.newKey(), '', made) : undefined;
  }

  remove(name: string): Promise<void> {
    return this.store.remove(name);
  }

  private imageFormat(bytes: Uint8Array): Format | undefined {
    const format = sniff(bytes);
    return format !== undefined && IMAGES.has(format) && bytes.length <= IMAGE_BYTES_MAX ? format : undefined;
  }

  private async image(
    key: string,
    bytes: Uint8Array,
    format: Format,
    hasPreview: boolean,
  ): Promise<AccountMedia | undefined> {
    const made = await this.parsers.showable(bytes, format);
    if (made === undefined) return undefined;
    const [original, preview] = await Promise.all([
      this.put(key, '', made.original),
      hasPreview ? undefined : this.put(key, '.small', made.preview),
    ]);
    const media = {
      ...blank(key),
      kind: 'image',
      file: original.name,
      width: original.width,
      height: original.height,
    };
    if (preview === undefined) return media;
    return {
      ...media,
      preview: preview.name,
      previewWidth: preview.width,
      previewHeight: preview.height,
      blurhash: made.blurhash,
    };
  }

  private async soundOrFilm(key: string, bytes: Buffer, format: Format): Promise<AccountMedia | undefined> {
    const buffer = withoutTags(bytes, format);
    if (buffer === undefined) return undefined;
    const parts = excerptOf(buffer, format);
    if (parts === undefined) return undefined;
    const probed = await this.parsers.probe(parts.excerpt);
    if (probed === undefined) return undefined;
    const { movieFrom } = parts;
    for (const { from, to } of probed.private) blankBox(buffer, { from: movieFrom + from, to: movieFrom + to });
    const { kind, width, height, durationS, bitsPerS, framesPerS, extension } = probed;
    const file = `${key}.${extension}`;
    await this.store.put(file, buffer);
    return { ...blank(key), kind, file, width, height, durationS, bitsPerS, framesPerS };
  }

  private async put(key: string, part: string, { bytes, extension, width, height }: Picture): Promise<StoredPicture> {
    const name = `${key}${part}.${extension}`;
    await this.store.put(name, bytes);
    return { name, width, height };
  }

  private newKey(): string {
    return Buffer.from(this.random.bytes(16)).toString('hex');
  }
}

function blank(key: string): AccountMedia {
  return {
    id: '',
    key,
    state: 'ready',
    kind: 'image',
    file: '',
    preview: '',
    width: 0,
    height: 0,
    previewWidth: 0,
    previewHeight: 0,
    blurhash: '',
    description: '',
    durationS: 0,
    bitsPerS: 0,
    framesPerS: 0,
    atMs: 0,
  };
}

function badFile(description: string, field = 'file'): Problem {
  const label = field.charAt(0).toUpperCase() + field.slice(1);
  return problem('invalid', `Validation failed: ${label} ${description}`, {
    [field]: [{ error: 'ERR_INVALID', description }],
  });
}
