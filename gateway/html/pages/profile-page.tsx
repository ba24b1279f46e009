import type { Answer } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import { ModerationLink } from '../moderation/link.js';
import { htmlAnswer } from '../page.js';
import { Notices } from '../parts/notices.js';
import { Pager } from '../parts/pager.js';
import { People, personPath, shownName } from '../parts/person.js';
import { ProfileHead } from '../parts/profile-head.js';
import { plainText } from '../plain-text.js';
import { Feed, type StatusPieces } from '../posts.js';
import type { Reader, Site } from '../site.js';
import type { View } from '../view.js';

/** Tabs of a profile. */
export type ProfileTab = 'posts' | 'with_replies' | 'media';

/** Path of a tab below a person's page. */
const TAB_PATHS: Readonly<Record<ProfileTab, string>> = { posts: '', with_replies: '/with_replies', media: '/media' };

/** Content of a profile. */
export interface Profile {
  readonly account: Account;
  readonly tab: ProfileTab;
  /** Hashtag of all posts shown; undefined: the tab's posts are shown. */
  readonly tagged: string | undefined;
  /** Shown above the first page of posts. */
  readonly pinned: readonly (StatusPieces | undefined)[];
  readonly posts: readonly (StatusPieces | undefined)[];
  readonly tags: readonly { readonly name: string }[];
  /** People whom the person features. */
  readonly featured: readonly Account[];
  readonly older: string | undefined;
  readonly newer: string | undefined;
}

/** Renders the page of a person with their posts. */
export function profilePage(site: Site, reader: Reader, profile: Profile): Answer {
  const { account, tab, tagged, pinned, posts, tags, featured, older, newer } = profile;
  const { texts, language } = reader;
  const path = personPath(account);
  const body = (
    <>
      <Notices account={account} texts={texts} />
      <ProfileHead account={account} domain={site.instance.domain} texts={texts} language={language} />
      <Actions account={account} reader={reader} />
      {tags.length > 0 && (
        <section aria-label={texts.profile.featuredTags}>
          <ul class="tags">
            {tags.map(({ name }) => (
              <li key={name}>
                <a href={taggedPath(account, name)}>#{name}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {featured.length > 0 && (
        <section class="featured" aria-label={texts.profile.featured}>
          <h2>{texts.profile.featured}</h2>
          <People accounts={featured} />
        </section>
      )}
      <nav class="tabs" aria-label={texts.profile.posts}>
        {tabsOf(account).map((one) => (
          <a
            key={one}
            href={`${path}${TAB_PATHS[one]}`}
            aria-current={one === tab && tagged === undefined ? 'page' : undefined}
          >
            {texts.profile[one === 'with_replies' ? 'withReplies' : one]}
          </a>
        ))}
      </nav>
      {tagged !== undefined && <h2>{texts.lists.tag(tagged)}</h2>}
      {pinned.length > 0 && <Feed posts={pinned} texts={texts} language={language} isPinned />}
      {pinned.length > 0 && <br />}
      {posts.length > 0 ? (
        <Feed posts={posts} texts={texts} language={language} />
      ) : (
        <p class="soft">{texts.shell.nothingHere}</p>
      )}
      <Pager older={older} newer={newer} texts={texts} />
    </>
  );
  const own = tagged === undefined ? `${path}${TAB_PATHS[tab]}` : taggedPath(account, tagged);
  return htmlAnswer(site, reader, viewOf(site, profile, own), body);
}

/** Returns the tabs that a person shows. */
const tabsOf = ({ show_media }: Account): readonly ProfileTab[] =>
  show_media === false ? ['posts', 'with_replies'] : ['posts', 'with_replies', 'media'];

/** Path of a person's posts with a hashtag. */
const taggedPath = (account: Account, name: string): string =>
  `${personPath(account)}/tagged/${encodeURIComponent(name)}`;

function viewOf({ instance }: Site, { account, newer, older }: Profile, path: string): View {
  const address = account.acct.includes('@') ? account.acct : `${account.acct}@${instance.domain}`;
  const isPart = newer !== undefined;
  return {
    title: `${shownName(account)} (@${address})`,
    canonical: path,
    description: plainText(account.note),
    image: account.avatar_static,
    kind: 'profile',
    // People of other servers have their own pages, and parts of a list are no page of their own.
    isUnlisted:
      !account.indexable || account.acct.includes('@') || account.limited === true || (isPart && older === undefined),
    cache: 'public',
    head: (
      <>
        <link rel="alternate" type="application/activity+json" href={account.uri} />
        <link rel="alternate" type="application/rss+xml" href={`${personPath(account)}.rss`} />
        <meta property="profile:username" content={address} />
      </>
    ),
  };
}

function Actions({ account, reader }: { readonly account: Account; readonly reader: Reader }) {
  const { texts } = reader;
  const path = personPath(account);
  return (
    <p class="actions">
      {reader.person === undefined ? (
        <a class="button" href={`${path}/follow`}>
          {texts.profile.follow}
        </a>
      ) : (
        <a class="button" href={`/web/people/${account.id}`}>
          {texts.shell.home}
        </a>
      )}
      {!account.acct.includes('@') && (
        <a class="button plain" href={`${path}.rss`}>
          {texts.profile.feed}
        </a>
      )}
      <ModerationLink account={account.id} reader={reader} />
    </p>
  );
}

/** People whom a person follows, or their followers. */
export interface Connections {
  readonly account: Account;
  readonly kind: 'followers' | 'following';
  readonly isHidden: boolean;
  readonly accounts: readonly Account[];
  readonly older: string | undefined;
  readonly newer: string | undefined;
}

/** Renders the followers of a person, or whom they follow. A hidden list shows its total alone. */
export function connectionsPage(site: Site, reader: Reader, connections: Connections): Answer {
  const { account, kind, isHidden, accounts, older, newer } = connections;
  const { texts, language } = reader;
  const name = shownName(account);
  const title = kind === 'followers' ? texts.profile.followersOf(name) : texts.profile.people(name);
  const body = (
    <>
      <Notices account={account} texts={texts} />
      <ProfileHead account={account} domain={site.instance.domain} texts={texts} language={language} />
      <h2>{title}</h2>
      {isHidden ? (
        <p class="notice">{texts.profile.hidden}</p>
      ) : accounts.length > 0 ? (
        <People accounts={accounts} />
      ) : (
        <p class="soft">{texts.shell.nothingHere}</p>
      )}
      <Pager older={older} newer={newer} texts={texts} />
    </>
  );
  const view: View = { title, canonical: `${personPath(account)}/${kind}`, isUnlisted: true, cache: 'public' };
  return htmlAnswer(site, reader, view, body);
}
