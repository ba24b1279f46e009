import { type Segment, segments } from './segments.js';

/** What a status's text names, each once, in order of first appearance. */
export interface TextNames {
  /** Lower case, without the first @: `bob` or `bob@example.org`. */
  readonly mentions: readonly string[];
  /** As hashtagName gives them, without the #. */
  readonly tags: readonly string[];
}

/** Where a mention leads. */
export interface MentionTarget {
  readonly url: string;
  /** Shown after the @. */
  readonly username: string;
}

/** What is known when text becomes HTML. */
export interface RenderOptions {
  /** By what `readText` gives as a mention; mentions that are not here stay plain text. */
  readonly mentions: ReadonlyMap<string, MentionTarget>;
  /** Of the instance, without trailing slash; hashtags link to `<baseUrl>/tags/<name>`. */
  readonly baseUrl: string;
  /** What links are besides the usual: `me` in a profile's fields, by which other servers know who is behind them. */
  readonly rel?: 'me';
}

/** A link counts as this many characters whatever its length. Source: Mastodon StatusLengthValidator. */
export const LINK_COUNTS_AS = 23;
/** Characters of a link's address that are shown. Source: Mastodon TextFormatter. */
const LINK_SHOWN_MAX = 30;

/** Made for the first text that needs it: reading its tables takes some 15 ms, which no start has to wait for. */
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

/** The hashtags of a text as they are written there first, by their names, without the #. */
export function writtenTags(text: string): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  for (const segment of segments(text)) {
    if (segment.kind === 'tag' && !written.has(segment.name)) written.set(segment.name, segment.raw.slice(1));
  }
  return written;
}

/**
 * Length as people count it: grapheme clusters; links count LINK_COUNTS_AS, mentions without their host.
 * Source: Mastodon StatusLengthValidator.
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

/** Plain text as safe HTML of paragraphs: `<p>`, `<br />`, links, mentions, hashtags; the rest escaped. */
export function renderHtml(text: string, options: RenderOptions): string {
  const trimmed = text.replaceAll(/\r\n?/g, '\n').trim();
  if (trimmed === '') return '';
  return `<p>${renderInline(trimmed, options)
    .replaceAll(/\n{2,}/g, '</p><p>')
    .replaceAll('\n', '<br />')}</p>`;
}

/** As `renderHtml` without paragraphs, for one line: a profile field's value. */
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

/** Intl.Segmenter takes quadratic time, so it sees this much at once. A longer grapheme counts once a part. */
const SEGMENTED_CHARS_MAX = 128;

// Printable ASCII, Latin, Han, kana: each is one grapheme unless something that combines follows.
const simple = /^[\n\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]*$/;

function countGraphemes(text: string): number {
  if (simple.test(text)) return text.length;
  let count = 0;
  for (let from = 0; from < text.length; ) {
    const part = wholeChars(text.slice(from, from + SEGMENTED_CHARS_MAX));
    const starts = graphemeStarts(part);
    // The part's end may have cut its last grapheme: the next part begins with it.
    const isLast = from + part.length === text.length || starts.length === 1;
    count += isLast ? starts.length : starts.length - 1;
    from += isLast ? part.length : (starts.at(-1) ?? part.length);
  }
  return count;
}

/** Without the first half of a pair at its end, which by itself would be one more grapheme. */
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
      const href = `${baseUrl}/tags/${encodeURIComponent(segment.name)}`;
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

/** The scheme and what is past LINK_SHOWN_MAX are hidden by style, not left out: copying gives the whole address. */
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
