import type { VNode } from 'preact';
import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { Relationship } from '../../pages/account/relationship.js';
import type { Status } from '../../pages/status/status.js';
import { htmlAnswer } from '../page.js';
import { Csrf } from '../parts/form.js';
import { Pager } from '../parts/pager.js';
import { Author, People, personPath, shownName } from '../parts/person.js';
import { ownPersonPath } from '../parts/post.js';
import { ProfileHead } from '../parts/profile-head.js';
import { Time } from '../parts/time.js';
import type { Reader, Site } from '../site.js';
import { Compose, type Draft } from './compose.js';
import { OwnFeed, OwnPost } from './own-post.js';

interface Neighbours {
  readonly older: string | undefined;
  readonly newer: string | undefined;
}

/** The page's frame: navigation of the client and a title. */
function frame(site: Site, reader: Reader, title: string, current: string, body: VNode, status = 200): Answer {
  const { web } = reader.texts;
  const tabs = [
    ['/web', web.home],
    ['/web/notifications', web.notifications],
    ['/web/search', web.search],
  ] as const;
  const content = (
    <>
      <h1 class="visually-hidden">{title}</h1>
      <nav class="tabs" aria-label={web.home}>
        {tabs.map(([path, text]) => (
          <a key={path} href={path} aria-current={path === current ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {body}
    </>
  );
  return htmlAnswer(site, reader, { title, isUnlisted: true, status }, content);
}

/** The home timeline. */
export interface Home extends Neighbours {
  readonly posts: readonly Status[];
  readonly draft: Draft;
  readonly viewer: string;
}

export function homePage(site: Site, reader: Reader, { posts, draft, viewer, older, newer }: Home): Answer {
  const { web } = reader.texts;
  const body = (
    <>
      <Compose reader={reader} draft={draft} />
      {posts.length > 0 ? <OwnFeed posts={posts} reader={reader} viewer={viewer} /> : <p>{web.emptyHome}</p>}
      {posts.length === 0 && (
        <p class="actions">
          <a class="button plain" href="/directory">
            {reader.texts.lists.directory}
          </a>
          <a class="button plain" href="/web/search">
            {web.search}
          </a>
        </p>
      )}
      <Pager older={older} newer={newer} texts={reader.texts} />
    </>
  );
  return frame(site, reader, web.home, '/web', body, draft.fault === undefined ? 200 : 422);
}

/** A post with its thread, and the form of a reply. */
export interface OwnThread {
  readonly status: Status;
  readonly ancestors: readonly Status[];
  readonly descendants: readonly Status[];
  readonly draft: Draft;
  readonly viewer: string;
}

export function ownThreadPage(site: Site, reader: Reader, thread: OwnThread): Answer {
  const { status, ancestors, descendants, draft, viewer } = thread;
  const body = (
    <>
      {ancestors.length > 0 && <OwnFeed posts={ancestors} reader={reader} viewer={viewer} />}
      <OwnPost status={status} reader={reader} viewer={viewer} isFocused />
      <Compose reader={reader} draft={draft} />
      {descendants.length > 0 && <OwnFeed posts={descendants} reader={reader} viewer={viewer} />}
    </>
  );
  return frame(site, reader, reader.texts.posts.thread, '', body, draft.fault === undefined ? 200 : 422);
}

/** A person, what connects the reader with them, and their posts. */
export interface OwnPerson extends Neighbours {
  readonly account: Account;
  readonly relationship: Relationship | undefined;
  readonly posts: readonly Status[];
  readonly viewer: string;
}

export function ownPersonPage(site: Site, reader: Reader, person: OwnPerson): Answer {
  const { account, relationship, posts, viewer, older, newer } = person;
  const { texts, language } = reader;
  const body = (
    <>
      <ProfileHead account={account} domain={site.instance.domain} texts={texts} language={language} />
      {relationship?.followed_by === true && <p class="mark">{texts.web.followsYou}</p>}
      <div class="actions">
        {relationship !== undefined && <Connect account={account} relationship={relationship} reader={reader} />}
        <a class="button plain" href={personPath(account)}>
          {texts.web.publicPage}
        </a>
      </div>
      <br />
      {posts.length > 0 ? (
        <OwnFeed posts={posts} reader={reader} viewer={viewer} />
      ) : (
        <p class="soft">{texts.shell.nothingHere}</p>
      )}
      <Pager older={older} newer={newer} texts={texts} />
    </>
  );
  return frame(site, reader, shownName(account), '', body);
}

function Connect(props: { readonly account: Account; readonly relationship: Relationship; readonly reader: Reader }) {
  const { account, relationship, reader } = props;
  const { web } = reader.texts;
  const { following, requested, muting, blocking } = relationship;
  const isAsked = following || requested;
  const buttons = [
    [isAsked ? 'unfollow' : 'follow', requested ? web.requested : following ? web.unfollow : web.follow, isAsked],
    [muting ? 'unmute' : 'mute', muting ? web.unmute : web.mute, true],
    [blocking ? 'unblock' : 'block', blocking ? web.unblock : web.block, true],
  ] as const;
  return (
    <>
      {buttons.map(([verb, text, isPlain]) => (
        <form key={verb} method="post" action={`${ownPersonPath(account)}/${verb}`}>
          <Csrf reader={reader} />
          <button type="submit" class={isPlain ? 'plain' : undefined}>
            {text}
          </button>
        </form>
      ))}
    </>
  );
}

/** A notification as the API renders it. */
export interface Notice {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly account: Account;
  readonly status?: Status;
}

export interface Notices extends Neighbours {
  readonly notices: readonly Notice[];
  readonly requests: readonly Account[];
  readonly viewer: string;
}

export function notificationsPage(
  site: Site,
  reader: Reader,
  { notices, requests, viewer, older, newer }: Notices,
): Answer {
  const { texts, language } = reader;
  const { web } = texts;
  const kinds: Readonly<Record<string, string>> = web.kinds;
  const body = (
    <>
      {requests.length > 0 && (
        <section>
          <h2>{web.requests}</h2>
          <People
            accounts={requests}
            path={ownPersonPath}
            action={(one) => <Answering account={one} reader={reader} />}
          />
        </section>
      )}
      {notices.length === 0 && <p class="soft">{texts.shell.nothingHere}</p>}
      <ol class="feed">
        {notices.map((notice) => (
          <li key={notice.id}>
            <div class="post">
              <div class="person">
                <Author account={notice.account} href={ownPersonPath(notice.account)} />
                <span class="when">
                  <Time iso={notice.created_at} language={language} />
                </span>
              </div>
              <p class="above">{kinds[notice.type] ?? web.other}</p>
            </div>
            {notice.status !== undefined && <OwnPost status={notice.status} reader={reader} viewer={viewer} />}
          </li>
        ))}
      </ol>
      <Pager older={older} newer={newer} texts={texts} />
    </>
  );
  return frame(site, reader, web.notifications, '/web/notifications', body);
}

function Answering({ account, reader }: { readonly account: Account; readonly reader: Reader }) {
  const { web } = reader.texts;
  return (
    <>
      {(['authorize', 'reject'] as const).map((verb) => (
        <form key={verb} method="post" action={`/web/requests/${account.id}/${verb}`}>
          <Csrf reader={reader} />
          <button type="submit" class={verb === 'reject' ? 'plain' : undefined}>
            {verb === 'reject' ? web.reject : web.accept}
          </button>
        </form>
      ))}
    </>
  );
}

/** Results of a search; undefined: nothing was asked. */
export interface Found {
  readonly question: string;
  readonly accounts: readonly Account[];
  readonly statuses: readonly Status[];
  readonly hashtags: readonly { readonly name: string }[];
  readonly viewer: string;
}

export function searchPage(site: Site, reader: Reader, found: Found): Answer {
  const { question, accounts, statuses, hashtags, viewer } = found;
  const { texts } = reader;
  const isEmpty = accounts.length + statuses.length + hashtags.length === 0;
  const body = (
    <>
      <search>
        <form method="get" action="/web/search">
          <label for="q">{texts.web.question}</label>
          <input id="q" name="q" type="search" maxLength={500} value={question} />
          <p class="actions">
            <button type="submit">{texts.web.search}</button>
          </p>
        </form>
      </search>
      {question !== '' && isEmpty && <p class="soft">{texts.shell.nothingHere}</p>}
      {hashtags.length > 0 && (
        <ul class="tags">
          {hashtags.map(({ name }) => (
            <li key={name}>
              <a href={`/tags/${encodeURIComponent(name)}`}>#{name}</a>
            </li>
          ))}
        </ul>
      )}
      <br />
      {accounts.length > 0 && <People accounts={accounts} path={ownPersonPath} />}
      <br />
      {statuses.length > 0 && <OwnFeed posts={statuses} reader={reader} viewer={viewer} />}
    </>
  );
  return frame(site, reader, texts.web.search, '/web/search', body);
}
