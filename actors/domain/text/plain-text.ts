import { tagUrl } from '../addresses.js';
import { type Segment, segments } from './segments.js';

/** Mentions and hashtags of a text, each once, in order of first appearance. */
export interface TextNames {
  /** Lower case, without the first @: `bob` or `bob@example.org`. */
  readonly mentions: readonly string[];
  /** In the form of `hashtagName`, without the #. */
  readonly tags: readonly string[];
}

/** The account to which a mention links. */
export interface MentionTarget {
  readonly url: string;
  /** Text shown after the @. */
  readonly username: string;
}

/** Context for rendering text as HTML. */
export interface RenderOptions {
  /** Accounts by mention, in the form of `readText`. Other mentions stay plain text. */
  readonly mentions: ReadonlyMap<string, MentionTarget>;
  /** Address of the instance, without trailing slash. Hashtags link to `<baseUrl>/tags/<name>`. */
  readonly baseUrl: string;
  /** Additional link relation. `me` in a profile's fields lets other servers verify the owner. */
  readonly rel?: 'me';
}

/** Characters that a link counts, whatever its length. Source: Mastodon StatusLengthValidator. */
export const LINK_COUNTS_AS = 23;
/** Visible characters of a link's address. Source: Mastodon TextFormatter. */
const LINK_SHOWN_MAX = 30;

/** Created on first use: loading its tables takes some 15 ms, which would delay the start. */
let graphemes: Intl.Segmenter | undefined;

/** Finds mentions and hashtags. Linear in the text's length. */
export function readText(text: string): TextNames {
  const mentions = new Set<string>();
  const tags = new Set<string>();
  for (const segment of segments(text)) {
    if (segment.kind === 'mention') mentions.add(segment.acct);
    else if (segment.kind === 'tag') tags.add(segment.name);
  }
  return { mentions: [...mentions], tags: [...tags] };
}

/** Returns the hashtags of a text in their first written form, by name, without the #. */
export function writtenTags(text: string): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  for (const segment of segments(text)) {
    if (segment.kind === 'tag' && !written.has(segment.name)) written.set(segment.name, segment.raw.slice(1));
  }
  return written;
}

/**
 * Returns the length in grapheme clusters. Links count LINK_COUNTS_AS, mentions without their host. Source: Mastodon
 * StatusLengthValidator.
 */
export function countChars(text: string): number {
  if (simple.test(text) && !/[@:]/.test(text)) return text.length;
  let counted = '';
  for (const segment of segments(text)) {
    if (segment.kind === 'link') counted += 'x'.repeat(LINK_COUNTS_AS);
    else if (segment.kind === 'mention') counted += `@${segment.username}`;
    else counted += segment.raw;
  }
  return countGraphemes(counted);
}

/** Renders plain text as safe HTML paragraphs: `<p>`, `<br />`, links, mentions, hashtags; the rest escaped. */
export function renderHtml(text: string, options: RenderOptions): string {
  const trimmed = text.replaceAll(/\r\n?/g, '\n').trim();
  if (trimmed === '') return '';
  return `<p>${renderInline(trimmed, options)
    .replaceAll(/\n{2,}/g, '</p><p>')
    .replaceAll('\n', '<br />')}</p>`;
}

/** Renders like `renderHtml` without paragraphs, for one line: a profile field's value. */
export function renderInline(text: string, options: RenderOptions): string {
  let html = '';
  for (const segment of segments(text)) html += render(segment, options);
  return html;
}

export function escapeHtml(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/**
 * Characters passed to Intl.Segmenter at a time, because it takes quadratic time. A longer grapheme counts once per
 * part.
 */
const SEGMENTED_CHARS_MAX = 128;

// Printable ASCII, Latin, Han and kana: each character is one grapheme unless a combining character follows.
const simple = /^[\n\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]*$/;

function countGraphemes(text: string): number {
  if (simple.test(text)) return text.length;
  let count = 0;
  for (let from = 0; from < text.length; ) {
    const part = wholeChars(text.slice(from, from + SEGMENTED_CHARS_MAX));
    const starts = graphemeStarts(part);
    // The end of the part may split its last grapheme, so the next part begins with it.
    const isLast = from + part.length === text.length || starts.length === 1;
    count += isLast ? starts.length : starts.length - 1;
    from += isLast ? part.length : (starts.at(-1) ?? part.length);
  }
  return count;
}

/** Drops the first half of a surrogate pair at the end, which would count as one more grapheme. */
function wholeChars(part: string): string {
  const isCut = part.length > 1 && /[\ud800-\udbff]$/.test(part);
  return isCut ? part.slice(0, -1) : part;
}

function graphemeStarts(part: string): number[] {
  if (simple.test(part)) return Array.from(part, (_, index) => index);
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(graphemes.segment(part), (grapheme) => grapheme.index);
}

function render(segment: Segment, { mentions, baseUrl, rel }: RenderOptions): string {
  switch (segment.kind) {
    case 'text':
      return escapeHtml(segment.raw);
    case 'link':
      return renderLink(segment.raw, rel);
    case 'tag': {
      const href = tagUrl(baseUrl, segment.name);
      return `<a href="${escapeHtml(href)}" class="mention hashtag" rel="tag">#<span>${escapeHtml(segment.raw.slice(1))}</span></a>`;
    }
    case 'mention': {
      const target = mentions.get(segment.acct);
      if (target === undefined) return escapeHtml(segment.raw);
      const shown = escapeHtml(target.username);
      return `<span class="h-card" translate="no"><a href="${escapeHtml(target.url)}" class="u-url mention">@<span>${shown}</span></a></span>`;
    }
  }
}

/**
 * Renders a link. CSS hides the scheme and everything after LINK_SHOWN_MAX, so that copying yields the whole address.
 */
function renderLink(address: string, rel?: string): string {
  const scheme = /^https?:\/\/(?:www\.)?/i.exec(address)?.[0] ?? '';
  const shown = address.slice(scheme.length, scheme.length + LINK_SHOWN_MAX);
  const rest = address.slice(scheme.length + LINK_SHOWN_MAX);
  const shownClass = rest === '' ? '' : ' class="ellipsis"';
  return (
    `<a href="${escapeHtml(address)}" rel="nofollow noopener noreferrer${rel === undefined ? '' : ` ${rel}`}" target="_blank" translate="no">` +
    `<span class="invisible">${escapeHtml(scheme)}</span><span${shownClass}>${escapeHtml(shown)}</span>` +
    `<span class="invisible">${escapeHtml(rest)}</span></a>`
  );
}
