import { Type } from '@sinclair/typebox';
import { FILE_NAME, fileType } from '../../../actors/domain/media.js';
import type { StoredFile } from '../../../store/media.js';
import { type Answer, type AnyRoute, route, Streamed } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { ownerOf } from '../../posting/media-names.js';
import { notFound } from '../../viewing/visible.js';

/** Largest part of a file that is read completely before it is sent; larger ones are streamed. */
const WHOLE_BYTES_MAX = 256 * 1_024;

/** Headers for files that anybody may have uploaded: nothing in them is executed or sniffed as another type. */
export const SAFE_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'accept-ranges': 'bytes',
};

/**
 * Uploaded files. Their names reveal nothing and change with the content. Anybody who knows a name may read the file,
 * unless its owner is suspended.
 */
export const mediaFileRoutes: readonly AnyRoute[] = [
  route({
    method: 'GET',
    path: '/media/:id',
    auth: 'none',
    params: Type.Object({ id: Type.String({ pattern: FILE_NAME }) }),
    handle: async ({ services, params, headers }) => {
      const type = fileType(params.id);
      if (type === undefined || (await isOfSuspended(services, params.id))) return notFound();
      const file = await services.media.open(params.id);
      if (file === undefined) return notFound();
      const etag = `"${params.id}"`;
      const shared = { ...SAFE_HEADERS, 'content-type': type, etag };
      if (headers['if-none-match'] === etag) return { status: 304, headers: shared, body: '' };
      const isCurrent = headers['if-range'] === undefined || headers['if-range'] === etag;
      return fileAnswer(file, isCurrent ? headers.range : undefined, shared);
    },
  }),
];

async function isOfSuspended(services: Pick<Services, 'entries' | 'limits'>, name: string): Promise<boolean> {
  const owner = await ownerOf(services, name);
  return owner !== undefined && services.limits.suspended(owner);
}

/** Returns a file, or the part of it that a Range header names. */
export async function fileAnswer(
  file: StoredFile,
  range: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const part = rangeOf(range, file.size);
  if (part === 'unsatisfiable') {
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${file.size}` }, body: '' };
  }
  const { from, to } = part ?? { from: 0, to: file.size };
  const body =
    to - from <= WHOLE_BYTES_MAX ? await whole(file, from, to) : new Streamed(to - from, () => file.read(from, to));
  if (part === undefined) return { status: 200, headers, body };
  return { status: 206, headers: { ...headers, 'content-range': `bytes ${from}-${to - 1}/${file.size}` }, body };
}

/**
 * Parses one byte range (RFC 9110 §14.2); `to` is exclusive. Undefined means the whole file, also for a request of
 * several ranges.
 */
export function rangeOf(
  header: string | undefined,
  size: number,
): { readonly from: number; readonly to: number } | 'unsatisfiable' | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = found ?? [];
  if (found === null || (first === '' && last === '')) return undefined;
  if (first === '') return Number(last) === 0 ? 'unsatisfiable' : { from: Math.max(0, size - Number(last)), to: size };
  const from = Number(first);
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= size ? 'unsatisfiable' : { from, to };
}

async function whole(file: StoredFile, from: number, to: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.read(from, to)) pieces.push(piece);
  return Buffer.concat(pieces);
}
