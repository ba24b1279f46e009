import type { Trend } from '../discovery/trends.js';
import { renderHistory, type TagHistory } from './tag.js';

/** The REST API's Trends::Link: a preview card with the days on which it was passed on. */
export interface TrendsLink {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'link';
  readonly author_name: string;
  readonly author_url: string;
  readonly authors: readonly never[];
  readonly provider_name: string;
  readonly provider_url: string;
  readonly html: string;
  readonly width: number;
  readonly height: number;
  readonly image: null;
  readonly embed_url: string;
  readonly blurhash: null;
  readonly published_at: null;
  readonly history: readonly TagHistory[];
}

/** Of the address alone. */
export function renderTrendsLink({ name, history }: Trend): TrendsLink {
  const { host, origin, pathname } = new URL(name);
  return {
    url: name,
    title: pathname === '/' ? host : `${host}${pathname}`,
    description: '',
    type: 'link',
    author_name: '',
    author_url: '',
    authors: [],
    provider_name: host,
    provider_url: origin,
    html: '',
    width: 0,
    height: 0,
    image: null,
    embed_url: '',
    blurhash: null,
    published_at: null,
    history: renderHistory(history),
  };
}
