import { Feed } from 'feed';
import type { Answer } from '../http/route.js';
import type { Account } from '../pages/account/account.js';
import type { Status } from '../pages/status/status.js';
import { personPath, shownName } from './parts/person.js';
import { postPath } from './parts/post.js';
import { plainText } from './plain-text.js';
import type { Site } from './site.js';

/** Seconds for which feed readers may keep a feed. */
const FRESH_SECONDS = 300;
const TITLE_CHARS_MAX = 100;

/** Returns the public posts of a person as RSS 2.0. */
export function personFeed(site: Site, account: Account, posts: readonly Status[]): Answer {
  const { baseUrl } = site.instance;
  const description = plainText(account.note);
  return feedOf(
    site,
    { title: shownName(account), path: personPath(account), description, image: account.avatar_static },
    posts,
    baseUrl,
  );
}

/** Returns posts with a hashtag as RSS 2.0. */
export function tagFeed(site: Site, tag: string, posts: readonly Status[]): Answer {
  const path = `/tags/${encodeURIComponent(tag)}`;
  const about = { title: `#${tag}`, path, description: `#${tag} – ${site.title}` };
  return feedOf(site, about, posts, site.instance.baseUrl);
}

interface About {
  readonly title: string;
  readonly path: string;
  readonly description: string;
  readonly image?: string;
}

function feedOf(site: Site, about: About, posts: readonly Status[], baseUrl: string): Answer {
  const link = `${baseUrl}${about.path}`;
  const [newest] = posts;
  const feed = new Feed({
    id: link,
    link,
    title: about.title,
    description: about.description,
    copyright: '',
    generator: `Murmuration ${site.instance.version}`,
    feedLinks: { rss: `${link}.rss` },
    ...(about.image !== undefined && { image: about.image }),
    ...(newest !== undefined && { updated: new Date(newest.created_at) }),
  });
  for (const post of posts) {
    const title = post.spoiler_text || plainText(post.content, TITLE_CHARS_MAX) || post.created_at;
    const url = `${baseUrl}${postPath(post)}`;
    const content = post.spoiler_text === '' ? post.content : '';
    feed.addItem({ id: url, link: url, title, date: new Date(post.created_at), content });
  }
  return {
    status: 200,
    headers: {
      'content-type': 'application/rss+xml; charset=utf-8',
      'cache-control': `public, max-age=${FRESH_SECONDS}`,
    },
    body: feed.rss2(),
  };
}
