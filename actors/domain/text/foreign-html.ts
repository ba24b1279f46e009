import { Parser } from 'htmlparser2';
import { escapeHtml } from './plain-text.js';

/** A text of another server: as HTML that pages may contain, and as plain text for filters and search. */
export interface ForeignText {
  readonly html: string;
  readonly text: string;
}

/** Elements that are written, as Mastodon 4.4 allows them. Others leave only their text. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...['a', 'b', 'blockquote', 'br', 'code', 'del', 'em', 'i', 'li', 'ol', 'p', 'pre', 's', 'span', 'strong', 'u', 'ul'],
  ...['rp', 'rt', 'ruby'],
]);
const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
/** Elements that become paragraphs. */
const BLOCKS: ReadonlySet<string> = new Set([
  'article',
  'div',
  'dd',
  'dt',
  'footer',
  'header',
  'section',
  'table',
  'tr',
]);
/** Elements that are left out with their content, because it is not meant to be read. */
const UNREADABLE: ReadonlySet<string> = new Set([
  ...['applet', 'audio', 'canvas', 'embed', 'frameset', 'head', 'iframe', 'math', 'noembed', 'noframes', 'noscript'],
  ...['object', 'script', 'select', 'style', 'svg', 'template', 'textarea', 'title', 'video', 'xmp'],
]);

/**
 * Classes that tell clients what a link is. Others could hide a part of an address, as `invisible` and `ellipsis` do:
 * addresses are shown whole.
 */
const CLASSES = /^(?:mention|hashtag|[hpue]-[a-z][a-z-]{0,30})$/;

/** Elements within each other that are written. Honest texts have fewer than ten. */
const DEPTH_MAX = 32;
/**
 * Tags that are read; the text ends at the next one. The parser compares each end tag with all open elements, so its
 * time grows with the square of this number: 5,000 take some 10 ms.
 */
const TAGS_MAX = 5_000;
const HREF_CHARS_MAX = 2_048;

/** Characters that change the direction of what follows them, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed.
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\ufeff]/g;

/**
 * Rewrites HTML of another server with an allow-list: everything is parsed, and only known elements and attributes are
 * written. All elements of the result are closed. Links have `rel="nofollow noopener"`.
 * @param charsMax UTF-16 units of the source that are read
 */
export function foreignHtml(source: string, charsMax: number): ForeignText {
  const writer = new Writer();
  parse(bounded(source, charsMax), writer);
  return { html: writer.html, text: tidied(writer.text) };
}

/** Returns a name or title of another server without markup, in one line. Character references stay as they are. */
export function foreignName(source: string, charsMax: number): string {
  const cut = bounded(source, charsMax);
  if (!cut.includes('<')) return oneLine(cut);
  const writer = new Writer();
  parse(cut, writer, false);
  return oneLine(writer.text);
}

const oneLine = (text: string) => text.replace(UNSEEN, '').replaceAll(/\s+/g, ' ').trim();

const tidied = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

function bounded(source: string, charsMax: number): string {
  const cut = source.length > charsMax ? source.slice(0, charsMax) : source;
  let tags = 0;
  for (let at = cut.indexOf('<'); at >= 0; at = cut.indexOf('<', at + 1)) {
    tags += 1;
    if (tags > TAGS_MAX) return cut.slice(0, at);
  }
  return cut;
}

function parse(source: string, writer: Writer, decodeEntities = true): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => writer.open(name, attributes),
      ontext: (text) => writer.write(text),
      onclosetag: (name) => writer.close(name),
    },
    { decodeEntities, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(source);
}

class Writer {
  html = '';
  text = '';
  /** The end tags of the open elements; empty for those that are not written. */
  readonly #ends: string[] = [];
  #written = 0;
  /** Number of open elements at the first one whose content is left out. */
  #unreadableFrom: number | undefined;
  #inLink = false;
  #paragraphs = 0;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#unreadableFrom === undefined && UNREADABLE.has(name)) this.#unreadableFrom = this.#ends.length;
    const end = this.#unreadableFrom === undefined ? this.#begin(name, attributes) : '';
    if (end !== '') this.#written += 1;
    this.#ends.push(end);
  }

  write(text: string): void {
    if (this.#unreadableFrom !== undefined) return;
    const seen = text.replace(UNSEEN, '');
    this.html += escapeHtml(seen);
    this.text += seen;
  }

  close(name: string): void {
    const end = this.#ends.pop() ?? '';
    if (this.#unreadableFrom === this.#ends.length) this.#unreadableFrom = undefined;
    if (end === '') return;
    this.#written -= 1;
    this.html += end;
    if (name === 'a') this.#inLink = false;
    if (end.endsWith('</p>')) this.#paragraphs -= 1;
    if (end.endsWith('</p>') || name === 'blockquote' || name === 'pre') this.text += '\n\n';
    else if (name === 'li') this.text += '\n';
  }

  /** Writes the start of an element, and returns its end; empty if it is not written, or has no content. */
  #begin(name: string, attributes: Readonly<Record<string, string>>): string {
    if (name === 'br') {
      this.html += '<br />';
      this.text += '\n';
      return '';
    }
    if (this.#written >= DEPTH_MAX) return '';
    if (name === 'a') return this.#beginLink(attributes);
    if (name === 'p' || BLOCKS.has(name)) return this.#beginParagraph('', '');
    if (HEADINGS.has(name)) return this.#beginParagraph('<strong>', '</strong>');
    if (!ELEMENTS.has(name)) return '';
    this.html += `<${name}${attributesOf(name, attributes)}>`;
    return `</${name}>`;
  }

  /** Paragraphs within paragraphs would end the outer one in a browser. */
  #beginParagraph(start: string, end: string): string {
    if (this.#paragraphs > 0) return '';
    this.#paragraphs += 1;
    this.html += `<p>${start}`;
    return `${end}</p>`;
  }

  #beginLink(attributes: Readonly<Record<string, string>>): string {
    const href = this.#inLink ? undefined : linkTarget(attributes.href);
    if (href === undefined) return '';
    this.#inLink = true;
    const address = escapeHtml(href);
    this.html += `<a href="${address}"${classesOf(attributes)} rel="nofollow noopener" target="_blank">`;
    return '</a>';
  }
}

/** Returns the address of a link in its normalised form, which shows its true host; undefined for other schemes. */
function linkTarget(href: string | undefined): string | undefined {
  if (href === undefined || href.length > HREF_CHARS_MAX || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' ? url.href : undefined;
}

function attributesOf(name: string, attributes: Readonly<Record<string, string>>): string {
  if (name === 'span') return classesOf(attributes);
  const number = name === 'ol' ? attributes.start : name === 'li' ? attributes.value : undefined;
  const counted = /^-?\d{1,6}$/.test(number ?? '') ? ` ${name === 'ol' ? 'start' : 'value'}="${number}"` : '';
  return name === 'ol' && attributes.reversed !== undefined ? `${counted} reversed` : counted;
}

function classesOf({ class: all = '' }: Readonly<Record<string, string>>): string {
  const known = all
    .slice(0, HREF_CHARS_MAX)
    .split(/\s+/)
    .filter((one) => CLASSES.test(one));
  return known.length === 0 ? '' : ` class="${known.join(' ')}"`;
}
