/** Facts that a page states about itself, as plain text from strangers. */
export interface PageFacts {
  readonly title: string;
  readonly description: string;
  readonly siteName: string;
  readonly authorName: string;
  readonly type: string;
  /** As written in the page; may be relative. */
  readonly image: string;
  readonly publishedAt: string;
  /** Address of the author's account, as `@user@host`. Source: Mastodon's `fediverse:creator`. */
  readonly creator: string;
}

/** Maximum length of each fact. */
const FACT_CHARS_MAX = 1_000;
/** Properties in the order of preference (Open Graph, then older ones). */
const NAMES: Readonly<Record<keyof PageFacts, readonly string[]>> = {
  title: ['og:title', 'twitter:title', 'title'],
  description: ['og:description', 'twitter:description', 'description'],
  siteName: ['og:site_name', 'application-name'],
  authorName: ['article:author:name', 'author'],
  type: ['og:type'],
  image: ['og:image:secure_url', 'og:image', 'twitter:image'],
  publishedAt: ['article:published_time'],
  creator: ['fediverse:creator'],
};

/** Maximum nesting of open elements. Pages have some dozens; the parser's time grows with the square. */
const DEPTH_MAX = 512;
/** Maximum number of attributes of an element; the parser compares each with those before it. */
const ATTRIBUTES_MAX = 100;
/** Characters that the parser receives at a time, so that it can be stopped between two pieces. */
const PIECE_CHARS = 16_384;

/** Reads the head of a page. */
export async function readPage(bytes: Uint8Array, type: string): Promise<PageFacts> {
  const found = new Map<string, string>();
  const note = (name: string | undefined, text: string | undefined) => {
    const key = name?.toLowerCase();
    if (key && text && !found.has(key)) found.set(key, text.trim().replaceAll(/\s+/g, ' ').slice(0, FACT_CHARS_MAX));
  };
  let title: string | undefined;
  await parse(decoded(bytes, type), {
    opened(name, attributes) {
      if (name === 'title') title ??= '';
      if (name === 'meta') note(attributes.property ?? attributes.name, attributes.content);
      return name !== 'body';
    },
    text(text) {
      if (title !== undefined && title.length < FACT_CHARS_MAX && !found.has('title')) title += text;
    },
    closed(name) {
      if (name === 'title') note('title', title);
      return name !== 'head';
    },
  });
  const pick = (names: readonly string[]) => names.map((name) => found.get(name)).find((text) => text) ?? '';
  const entries = Object.entries(NAMES).map(([fact, names]) => [fact, pick(names)]);
  return Object.fromEntries(entries) as unknown as PageFacts;
}

/**
 * Returns true if the page contains a link with rel="me" to exactly that address, ignoring case. Source: Mastodon
 * VerifyLinkService.
 */
export async function saysMe(bytes: Uint8Array, type: string, address: string): Promise<boolean> {
  let found = false;
  await parse(decoded(bytes, type), {
    opened(name, { rel = '', href = '' }) {
      if (name !== 'a' && name !== 'link') return true;
      const isMe = rel.toLowerCase().split(/\s+/).includes('me');
      found = isMe && href.trim().toLowerCase() === address.toLowerCase();
      return !found;
    },
  });
  return found;
}

/** Receives the parser's events; returning false ends the parsing. */
interface Listener {
  opened(name: string, attributes: Readonly<Record<string, string>>): boolean;
  text?(text: string): void;
  closed?(name: string): boolean;
}

/** Parses HTML until its end, until the listener stops it, or until it exceeds the limits above. */
async function parse(html: string, listener: Listener): Promise<void> {
  const { Parser } = await import('htmlparser2');
  let [depth, attributes, isOn] = [0, 0, true];
  const end = () => {
    isOn = false;
    // Pausing also makes the parser ignore the rest of the current piece.
    parser.pause();
  };
  const parser = new Parser({
    onopentagname() {
      attributes = 0;
      if (++depth > DEPTH_MAX) end();
    },
    onattribute() {
      if (++attributes > ATTRIBUTES_MAX) end();
    },
    onopentag(name, given) {
      if (isOn && !listener.opened(name, given)) end();
    },
    ontext(text) {
      if (isOn) listener.text?.(text);
    },
    onclosetag(name) {
      depth -= 1;
      if (isOn && listener.closed?.(name) === false) end();
    },
  });
  for (let at = 0; at < html.length && isOn; at += PIECE_CHARS) parser.write(html.slice(at, at + PIECE_CHARS));
  if (isOn) parser.end();
}

function decoded(bytes: Uint8Array, type: string): string {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const label = /charset=["']?([\w-]+)/i.exec(type)?.[1] ?? /<meta[^<>]+charset=["']?([\w-]+)/i.exec(start)?.[1];
  try {
    return new TextDecoder(label ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
