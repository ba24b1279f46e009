import type { ComponentChildren } from 'preact';
import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { Status } from '../../pages/status/status.js';
import { htmlAnswer } from '../page.js';
import { Pager } from '../parts/pager.js';
import { People } from '../parts/person.js';
import { Post } from '../parts/post.js';
import { Feed, type StatusPieces } from '../posts.js';
import type { Reader, Site } from '../site.js';

/** A tab that leads to a list like the one shown. */
interface Tab {
  readonly path: string;
  readonly text: string;
}

/** A public list of posts. */
export interface Timeline {
  readonly title: string;
  readonly text: string | undefined;
  readonly path: string;
  readonly tabs: readonly Tab[];
  /** Path of the feed; undefined: there is none. */
  readonly feed: string | undefined;
  readonly posts: readonly (StatusPieces | undefined)[];
  readonly older: string | undefined;
  readonly newer: string | undefined;
}

/** Renders a public timeline or the posts with a hashtag. */
export function timelinePage(site: Site, reader: Reader, timeline: Timeline): Answer {
  const { title, text, path, tabs, feed, posts, older, newer } = timeline;
  const { texts, language } = reader;
  const body = (
    <>
      <h1>{title}</h1>
      {text !== undefined && <p class="soft">{text}</p>}
      {feed !== undefined && (
        <p>
          <a href={feed}>{texts.profile.feed}</a>
        </p>
      )}
      <Tabs tabs={tabs} path={path} label={texts.lists.explore} />
      {posts.some((one) => one !== undefined) ? (
        <Feed posts={posts} texts={texts} language={language} />
      ) : (
        <p class="soft">{texts.shell.nothingHere}</p>
      )}
      <Pager older={older} newer={newer} texts={texts} />
    </>
  );
  const head = feed === undefined ? undefined : <link rel="alternate" type="application/rss+xml" href={feed} />;
  const isUnlisted = newer !== undefined;
  return htmlAnswer(site, reader, { title, canonical: path, cache: 'public', isUnlisted, head }, body);
}

function Tabs({ tabs, path, label }: { readonly tabs: readonly Tab[]; readonly path: string; readonly label: string }) {
  if (tabs.length === 0) return null;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.path} href={tab.path} aria-current={tab.path === path ? 'page' : undefined}>
          {tab.text}
        </a>
      ))}
    </nav>
  );
}

/** Popular things on this server, as the API's trends tell. */
export interface Explored {
  readonly tags: readonly { readonly name: string; readonly history: readonly { readonly accounts: string }[] }[];
  readonly links: readonly { readonly url: string; readonly title: string; readonly provider_name: string }[];
  readonly posts: readonly Status[];
  readonly people: readonly Account[];
}

/** Renders what is popular on this server. */
export function explorePage(site: Site, reader: Reader, { tags, links, posts, people }: Explored): Answer {
  const { texts, language } = reader;
  const { lists } = texts;
  const isEmpty = tags.length + links.length + posts.length + people.length === 0;
  const body = (
    <>
      <h1>{lists.explore}</h1>
      <p class="soft">{lists.exploreText}</p>
      <p class="actions">
        <a class="button plain" href="/public/local">
          {lists.local}
        </a>
        <a class="button plain" href="/directory">
          {lists.directory}
        </a>
      </p>
      {isEmpty && <p class="soft">{texts.shell.nothingHere}</p>}
      <Section title={lists.popularTags} isShown={tags.length > 0}>
        <ul class="people">
          {tags.map(({ name, history }) => (
            <li key={name}>
              <a href={`/tags/${encodeURIComponent(name)}`}>#{name}</a>{' '}
              <span class="soft small">
                {lists.usedBy(history.reduce((sum, day) => sum + Number(day.accounts), 0))}
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={lists.popularLinks} isShown={links.length > 0}>
        <ul class="people">
          {links.map(({ url, title, provider_name }) => (
            <li key={url}>
              <a href={url} rel="nofollow noopener noreferrer">
                {title || url}
              </a>{' '}
              <span class="soft small">{provider_name}</span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={lists.people} isShown={people.length > 0}>
        <People accounts={people} />
      </Section>
      <Section title={lists.popularPosts} isShown={posts.length > 0}>
        <ol class="feed">
          {posts.map((status) => (
            <li key={status.id}>
              <Post status={status} texts={texts} language={language} />
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
  return htmlAnswer(site, reader, { title: lists.explore, canonical: '/explore', cache: 'public' }, body);
}

function Section(props: { readonly title: string; readonly isShown: boolean; readonly children: ComponentChildren }) {
  if (!props.isShown) return null;
  return (
    <section>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** A page of the directory. */
export interface Directory {
  readonly accounts: readonly Account[];
  readonly order: 'active' | 'new';
  readonly isLocal: boolean;
  readonly older: string | undefined;
  readonly newer: string | undefined;
}

/** Renders the people who want to be found. */
export function directoryPage(site: Site, reader: Reader, directory: Directory): Answer {
  const { accounts, order, isLocal, older, newer } = directory;
  const { lists, shell } = reader.texts;
  const at = (by: string, local: boolean) => `/directory?order=${by}&local=${local}`;
  const tabs = [
    { path: at('active', isLocal), text: lists.active },
    { path: at('new', isLocal), text: lists.newest },
  ];
  const places = [
    { path: at(order, true), text: lists.thisServer },
    { path: at(order, false), text: lists.allServers },
  ];
  const body = (
    <>
      <h1>{lists.directory}</h1>
      <p class="soft">{lists.directoryText}</p>
      <Tabs tabs={tabs} path={at(order, isLocal)} label={lists.directory} />
      <Tabs tabs={places} path={at(order, isLocal)} label={lists.thisServer} />
      {accounts.length > 0 ? <People accounts={accounts} /> : <p class="soft">{shell.nothingHere}</p>}
      <Pager older={older} newer={newer} texts={reader.texts} />
    </>
  );
  const isUnlisted = newer !== undefined;
  return htmlAnswer(
    site,
    reader,
    { title: lists.directory, canonical: '/directory', cache: 'public', isUnlisted },
    body,
  );
}
