import type { LinkCard } from '../../proto/gen/types.js';
import type { GuardedClient } from './guarded-client.js';
import type { PageFacts } from './page-facts.js';

/**
 * Parses pages in a process where their bytes cannot harm the node. Returns undefined when a page takes too much time
 * or memory.
 */
export interface PageReader {
  readPage(bytes: Uint8Array, type: string): Promise<PageFacts | undefined>;
  saysMe(bytes: Uint8Array, type: string, address: string): Promise<boolean>;
}

/** Stores a page's picture; undefined if it is not a picture. */
export type KeepImage = (
  bytes: Uint8Array,
) => Promise<
  { readonly name: string; readonly width: number; readonly height: number; readonly blurhash: string } | undefined
>;

/**
 * Returns the id of the account that a page names as its author, if the account allows the page's host; undefined for
 * none. Never rejects.
 */
export type FindCreator = (creator: string, host: string) => Promise<string | undefined>;

/** Content types of pages, and the bytes that are read of one: heads come early. Source: Mastodon, 1 MB. */
const HTML_TYPES = ['text/html', 'application/xhtml+xml'];
const PAGE_BYTES_MAX = 1_048_576;
const IMAGE_BYTES_MAX = 4 * 1_048_576;

/** Creates preview cards of pages. */
export class LinkPages {
  constructor(
    private readonly client: GuardedClient,
    private readonly reader: PageReader,
    private readonly keepImage: KeepImage,
    private readonly findCreator: FindCreator,
  ) {}

  async card(url: string): Promise<LinkCard | undefined> {
    const page = await this.client.get(url, HTML_TYPES, PAGE_BYTES_MAX);
    if (page === undefined) return undefined;
    const facts = await this.reader.readPage(page.bytes, page.type);
    if (facts === undefined || facts.title === '') return undefined;
    const { host, origin } = new URL(page.url);
    const image = facts.image === '' ? undefined : await this.image(facts.image, page.url);
    const authorId = facts.creator === '' ? undefined : await this.findCreator(facts.creator, host);
    const publishedAtMs = Date.parse(facts.publishedAt);
    return {
      url,
      title: facts.title,
      description: facts.description,
      type: 'link',
      authorName: facts.authorName,
      authorUrl: '',
      providerName: facts.siteName || host,
      providerUrl: origin,
      image: image?.name ?? '',
      width: image?.width ?? 0,
      height: image?.height ?? 0,
      blurhash: image?.blurhash ?? '',
      publishedAtMs: Number.isFinite(publishedAtMs) ? publishedAtMs : 0,
      ...(authorId === undefined ? {} : { authorId }),
    };
  }

  async linksBack(url: string, back: string): Promise<boolean> {
    const page = await this.client.get(url, HTML_TYPES, PAGE_BYTES_MAX);
    return page !== undefined && (await this.reader.saysMe(page.bytes, page.type, back));
  }

  private async image(address: string, base: string) {
    if (!URL.canParse(address, base)) return undefined;
    const found = await this.client.get(new URL(address, base).href, ['image/'], IMAGE_BYTES_MAX);
    return found && this.keepImage(found.bytes);
  }
}
