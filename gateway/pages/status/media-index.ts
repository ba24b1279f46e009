import { extensionOf, fileUrl } from '../../../actors/domain/media.js';
import { codec } from '../../../proto/codec.js';
import type { ServiceFormatImage, ServiceFormatIndex, StoreStatusRecord } from '../../../proto/gen/types.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** Numbers of ServiceFormat.Format, by file extension. */
const FORMATS: Readonly<Record<string, number>> = { webp: 0, avif: 1, jpg: 2, png: 3, gif: 4 };
const FORMAT_NAMES = ['WEBP', 'AVIF', 'JPG', 'PNG', 'GIF'];

const indexMessage = codec('ServiceFormat.Index');

/** Builds the index of images in statuses that the viewer may see; other media are not included. */
export function mediaIndex(
  { baseUrl }: InstanceSettings,
  records: readonly StoreStatusRecord[],
  about: { readonly title?: string | undefined; readonly desc?: string | undefined },
): ServiceFormatIndex {
  const images = records.flatMap((record) =>
    (record.media?.media ?? []).flatMap((media): ServiceFormatImage[] => {
      const format = FORMATS[extensionOf(media.file)];
      if (media.kind !== 'image' || format === undefined) return [];
      const { width, height, blurhash } = media;
      const urls = { fullUrl: fileUrl(baseUrl, media.file), thumbUrl: fileUrl(baseUrl, media.preview) };
      return [{ key: Buffer.from(media.id), ...urls, blurhash, format, width, height }];
    }),
  );
  return { images, title: about.title || undefined, desc: about.desc || undefined };
}

/** Encodes the index in protobuf's binary format. */
export const encodeIndex = (index: ServiceFormatIndex): Uint8Array => indexMessage.encode(index);

/** Renders the index in the proto3 JSON mapping, with the field names of the schema and all fields present. */
export function indexAsJson({ images, title, desc }: ServiceFormatIndex): object {
  return {
    images: images.map(({ key, fullUrl, thumbUrl, blurhash, format, width, height }) => ({
      key: Buffer.from(key).toString('base64'),
      full_url: fullUrl,
      thumb_url: thumbUrl,
      blurhash,
      format: FORMAT_NAMES[format],
      width,
      height,
    })),
    ...(title === undefined ? {} : { title }),
    ...(desc === undefined ? {} : { desc }),
  };
}
