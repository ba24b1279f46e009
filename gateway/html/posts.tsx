import { renderToString } from 'preact-render-to-string';
import type { Status } from '../pages/status/status.js';
import { Post, type PostOptions } from './parts/post.js';
import { Raw } from './parts/raw.js';

/** JSON of a status in pieces, as the renderer of the API returns it (pages/status/status-pages.ts). */
export type StatusPieces = readonly Uint8Array[];

interface Rendered {
  readonly pieces: StatusPieces;
  readonly html: string;
}

/**
 * HTML of posts by the first piece of their JSON, which is the same object until the status changes. An entry is valid
 * while all pieces are the same objects, so a page of posts that did not change is copied together: some 5 µs a post
 * instead of 30. Entries end with their pieces.
 */
const cache = new WeakMap<Uint8Array, Map<string, Rendered>>();

/** Renders a post for everybody from the pieces of its JSON. */
export function postHtml(pieces: StatusPieces, options: Omit<PostOptions, 'actions'>): string {
  const [first] = pieces;
  if (first === undefined) return '';
  const key = `${options.language}${options.isPinned === true ? ' pinned' : ''}${options.isFocused === true ? ' focused' : ''}`;
  let variants = cache.get(first);
  const known = variants?.get(key);
  if (known !== undefined && isSame(known.pieces, pieces)) return known.html;
  const status = JSON.parse(Buffer.concat(pieces).toString()) as Status;
  const html = renderToString(<Post status={status} {...options} />);
  if (variants === undefined) {
    variants = new Map();
    cache.set(first, variants);
  }
  variants.set(key, { pieces, html });
  return html;
}

function isSame(a: StatusPieces, b: StatusPieces): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** A list of posts. */
export function Feed({
  posts,
  ...options
}: { readonly posts: readonly (StatusPieces | undefined)[] } & Omit<PostOptions, 'actions' | 'isFocused'>) {
  return <ol class="feed">{posts.map((pieces) => pieces && <Raw as="li" html={postHtml(pieces, options)} />)}</ol>;
}
