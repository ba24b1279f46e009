import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { Relationship } from '../../pages/account/relationship.js';
import type { Announcement } from '../../pages/instance/announcement.js';
import type { Status } from '../../pages/status/status.js';
import { Csrf } from '../parts/form.js';
import { type Neighbours, Pager } from '../parts/pager.js';
import { Author, People, personPath, shownName } from '../parts/person.js';
import { ownPersonPath } from '../parts/post.js';
import { ProfileHead } from '../parts/profile-head.js';
import { Time } from '../parts/time.js';
import type { Reader } from '../site.js';
import { Announcements } from './announcements.js';
import { Compose, type Draft } from './compose.js';
import { type Client, framed } from './frame.js';
import { OwnFeed, OwnPost } from './own-post.js';

/** The home timeline. */
export interface Home extends Neighbours {
  readonly announcements: readonly Announcement[];
  readonly posts: readonly Status[];
  readonly draft: Draft;
}

export function homePage(client: Client, { announcements, posts, draft, older, newer }: Home): Answer {
  const { reader, viewer } = client;
  const { web } = reader.texts;
  const body = (
    <>
      <Announcements all={announcements} reader={reader} />
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
  const status = draft.fault === undefined ? 200 : 422;
  return framed(client, { title: web.home, tab: '/web', list: newer === undefined ? 'home' : undefined, status }, body);
}

/** A post with its thread, and the form of a reply. */
export interface OwnThread {
  readonly status: Status;
  readonly ancestors: readonly Status[];
  readonly descendants: readonly Status[];
  readonly draft: Draft;
}

export function ownThreadPage(client: Client, thread: OwnThread): Answer {
  const { status, ancestors, descendants, draft } = thread;
  const { reader, viewer } = client;
  const body = (
    <>
      {ancestors.length > 0 && <OwnFeed posts={ancestors} reader={reader} viewer={viewer} />}
      <OwnPost status={status} reader={reader} viewer={viewer} isFocused />
      <Compose reader={reader} draft={draft} />
      {descendants.length > 0 && <OwnFeed posts={descendants} reader={reader} viewer={viewer} />}
    </>
  );
  return framed(client, { title: reader.texts.posts.thread, status: draft.fault === undefined ? 200 : 422 }, body);
}

/** A person, what connects the reader with them, and their posts. */
export interface OwnPerson extends Neighbours {
  readonly account: Account;
  readonly relationship: Relationship | undefined;
  readonly posts: readonly Status[];
}

export function ownPersonPage(client: Client, person: OwnPerson): Answer {
  const { account, relationship, posts, older, newer } = person;
  const { site, reader, viewer } = client;
  const { texts, language } = reader;
  const body = (
    <>
      <ProfileHead account={account} domain={site.instance.domain} texts={texts} language={language} />
      {relationship?.followed_by === true && <p class="mark">{texts.web.followsYou}</p>}
      <div class="actions" id="connect">
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
  return framed(client, { title: shownName(account), hasHeading: true }, body);
}

function Connect(props: { readonly account: Account; readonly relationship: Relationship; readonly reader: Reader }) {
  const { account, relationship, reader } = props;
  const { web } = reader.texts;
  const { following, requested, muting, blocking } = relationship;
  const isAsked = following || requested;
  const asked = account.locked ? web.requested : web.unfollow;
  const buttons = [
    ['follow', 'unfollow', isAsked, requested ? web.requested : following ? web.unfollow : web.follow],
    ['mute', 'unmute', muting, muting ? web.unmute : web.mute],
    ['block', 'unblock', blocking, blocking ? web.unblock : web.block],
  ] as const;
  const path = ownPersonPath(account);
  return (
    <>
      {buttons.map(([verb, opposite, isDone, text]) => (
        <form
          key={verb}
          method="post"
          action={`${path}/${isDone ? opposite : verb}`}
          data-undo={`${path}/${isDone ? verb : opposite}`}
          data-text={verb === 'follow' ? (isAsked ? web.follow : asked) : undefined}
        >
          <Csrf reader={reader} />
          <button type="submit" class={verb === 'follow' && !isDone ? undefined : 'plain'}>
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
}

export function notificationsPage(client: Client, { notices, requests, older, newer }: Notices): Answer {
  const { reader, viewer, unread } = client;
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
      {newer === undefined && unread > 0 && notices[0] !== undefined && (
        <MarkRead last={notices[0].id} reader={reader} />
      )}
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
  const list = newer === undefined ? 'notifications' : undefined;
  return framed(client, { title: web.notifications, tab: '/web/notifications', list }, body);
}

/** The button that ends the count of unread notifications. The script presses it. */
const MarkRead = ({ last, reader }: { readonly last: string; readonly reader: Reader }) => (
  <form id="read" method="post" action="/web/notifications/read">
    <Csrf reader={reader} />
    <input type="hidden" name="last" value={last} />
    <p>
      <button type="submit" class="plain">
        {reader.texts.web.markRead}
      </button>
    </p>
  </form>
);

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
}

export function searchPage(client: Client, found: Found): Answer {
  const { question, accounts, statuses, hashtags } = found;
  const { reader, viewer } = client;
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
  return framed(client, { title: texts.web.search, tab: '/web/search' }, body);
}
