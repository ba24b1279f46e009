/** What a page says of itself, for others to show; all of it plain text of strangers. */
export interface PageFacts {
  readonly title: string;
  readonly description: string;
  readonly siteName: string;
  readonly authorName: string;
  readonly type: string;
  /** As it stands; may be relative. */
  readonly image: string;
  readonly publishedAt: string;
}

/** Longest text that is kept of each. */
const FACT_CHARS_MAX = 1_000;
/** Properties in the order of preference (Open Graph, then what is older). */
const NAMES: Readonly<Record<keyof PageFacts, readonly string[]>> = {
  title: ['og:title', 'twitter:title', 'title'],
  description: ['og:description', 'twitter:description', 'description'],
  siteName: ['og:site_name', 'application-name'],
  authorName: ['article:author:name', 'author'],
  type: ['og:type'],
  image: ['og:image:secure_url', 'og:image', 'twitter:image'],
  publishedAt: ['article:published_time'],
};

/** Reads the head of a page. */
export async function readPage(bytes: Uint8Array, type: string): Promise<PageFacts> {
  const { Parser } = await import('htmlparser2');
  const found = new Map<string, string>();
  const note = (name: string | undefined, text: string | undefined) => {
    const key = name?.toLowerCase();
    if (key && text && !found.has(key)) found.set(key, text.trim().replaceAll(/\s+/g, ' ').slice(0, FACT_CHARS_MAX));
  };
  let title: string | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'title') title ??= '';
      if (name === 'meta') note(attributes.property ?? attributes.name, attributes.content);
    },
    ontext(text) {
      if (title !== undefined && title.length < FACT_CHARS_MAX && !found.has('title')) title += text;
    },
    onclosetag(name) {
      if (name === 'title') note('title', title);
    },
  });
  parser.write(decoded(bytes, type));
  parser.end();
  const pick = (names: readonly string[]) => names.map((name) => found.get(name)).find((text) => text) ?? '';
  const entries = Object.entries(NAMES).map(([fact, names]) => [fact, pick(names)]);
  return Object.fromEntries(entries) as unknown as PageFacts;
}

/** Whether the page holds a link of rel="me" to that very address, letters' case aside. Source: Mastodon VerifyLinkService. */
export async function saysMe(bytes: Uint8Array, type: string, address: string): Promise<boolean> {
  const { Parser } = await import('htmlparser2');
  let found = false;
  const parser = new Parser({
    onopentag(name, { rel = '', href = '' }) {
      if (found || (name !== 'a' && name !== 'link')) return;
      const isMe = rel.toLowerCase().split(/\s+/).includes('me');
      found = isMe && href.trim().toLowerCase() === address.toLowerCase();
    },
  });
  parser.write(decoded(bytes, type));
  parser.end();
  return found;
}

function decoded(bytes: Uint8Array, type: string): string {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const label = /charset=["']?([\w-]+)/i.exec(type)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(start)?.[1];
  try {
    return new TextDecoder(label ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
