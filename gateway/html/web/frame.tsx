import type { VNode } from 'preact';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { scriptPath } from '../script-files.js';
import type { Reader, Site } from '../site.js';

/** Facts that each page of the client needs besides its own content. */
export interface Client {
  readonly site: Site;
  readonly reader: Reader;
  /** Id of the person who reads. */
  readonly viewer: string;
  /** Notifications that they have not read: at most UNREAD_MAX + 1. */
  readonly unread: number;
  /** Position from which the stream of the page begins: the page shows what was before. */
  readonly since: string;
}

/** More unread notifications are shown as `99+`. */
export const UNREAD_MAX = 99;

interface Framed {
  readonly title: string;
  /** Path of the tab that is the page. */
  readonly tab?: string;
  /** Name of the list whose news the script offers, if the page shows its newest part. */
  readonly list?: 'home' | 'notifications' | undefined;
  readonly status?: number;
  /** The content has a first heading of its own. */
  readonly hasHeading?: boolean;
}

/** Renders a page of the client: navigation, place for news, and the content. */
export function framed({ site, reader, unread, since }: Client, page: Framed, body: VNode): Answer {
  const { title, tab = '', list, status = 200, hasHeading = false } = page;
  const { web } = reader.texts;
  const tabs = [
    ['/web', web.home],
    ['/web/notifications', web.notifications],
    ['/web/search', web.search],
  ] as const;
  const [one, many] =
    list === 'notifications' ? [web.oneNotice, web.newNotices('%')] : [web.onePost, web.newPosts('%')];
  const content = (
    <>
      {!hasHeading && <h1 class="visually-hidden">{title}</h1>}
      <nav class="tabs" aria-label={web.home}>
        {tabs.map(([path, text]) => (
          <a key={path} href={path} aria-current={path === tab ? 'page' : undefined}>
            {text}
            {path === '/web/notifications' && <Unread count={unread} />}
          </a>
        ))}
      </nav>
      <div
        id="news"
        aria-live="polite"
        data-since={since}
        data-list={list}
        data-one={one}
        data-many={many}
        data-offline={web.offline}
      />
      {body}
    </>
  );
  return htmlAnswer(site, reader, { title, isUnlisted: true, status, script: scriptPath('web') }, content);
}

const Unread = ({ count }: { readonly count: number }) => (
  <>
    {' '}
    <span id="unread" class="mark" hidden={count === 0} data-max={UNREAD_MAX}>
      {count > UNREAD_MAX ? `${UNREAD_MAX}+` : count}
    </span>
  </>
);
