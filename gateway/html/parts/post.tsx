import type { ComponentChildren } from 'preact';
import type { PreviewCard } from '../../pages/status/preview-card.js';
import type { Status } from '../../pages/status/status.js';
import type { Language, Texts } from '../texts/index.js';
import { Name, withEmoji } from './emoji.js';
import { Media } from './media.js';
import { Author, personPath, shownName } from './person.js';
import { PollResults } from './poll.js';
import { Raw } from './raw.js';
import { Time } from './time.js';

/** How a post is shown. */
export interface PostOptions {
  readonly texts: Texts;
  readonly language: Language;
  /** The page is about this post. */
  readonly isFocused?: boolean;
  readonly isPinned?: boolean;
  /** Title of the reader's filter that covers the post, or its media alone. */
  readonly coveredBy?: string | undefined;
  readonly blurredBy?: string | undefined;
  /** Buttons of somebody who is signed in, in place of the counts. Links then lead to the pages of the built-in client. */
  readonly actions?: ComponentChildren;
}

/** Paths of the built-in client, which shows what the person may see. */
export const ownPersonPath = ({ id }: Pick<Status['account'], 'id'>): string => `/web/people/${id}`;
export const ownPostPath = ({ id }: Pick<Status, 'id'>): string => `/web/posts/${id}`;

/** Path of a post's page on this server, also for posts of other servers. */
export const postPath = ({ account, id }: Pick<Status, 'account' | 'id'>): string => `${personPath(account)}/${id}`;

/** A post, or a boost of one. */
export function Post({ status, ...options }: { readonly status: Status } & PostOptions) {
  const shown = status.reblog ?? status;
  const { texts, language, isFocused, isPinned, coveredBy, blurredBy, actions } = options;
  const [toPerson, toPost] = actions === undefined ? [personPath, postPath] : [ownPersonPath, ownPostPath];
  return (
    <article class={isFocused === true ? 'post focused' : 'post'} id={`post-${status.id}`}>
      <Covered by={coveredBy} texts={texts}>
        {status.reblog !== null && (
          <p class="above">
            <a href={toPerson(status.account)}>
              <Name text={shownName(status.account)} emojis={status.account.emojis} />
            </a>{' '}
            {texts.posts.boosted}
          </p>
        )}
        {isPinned === true && <p class="above">{texts.posts.pinned}</p>}
        <header>
          <Author account={shown.account} href={toPerson(shown.account)} />
          <a class="when" href={toPost(shown)}>
            <Time iso={shown.created_at} language={language} />
          </a>
        </header>
        <Warned status={shown} texts={texts}>
          <PostContent status={shown} texts={texts} language={language} blurredBy={blurredBy} />
        </Warned>
        {actions ?? <Counts status={shown} texts={texts} language={language} isFocused={isFocused === true} />}
      </Covered>
    </article>
  );
}

/** Returns the title of a filter that asks to cover a post until its reader opens it; `blur` covers the media alone. */
export const coveringFilter = ({ filtered }: Pick<Status, 'filtered'>): string | undefined =>
  filtered?.find(({ filter }) => filter.filter_action !== 'blur')?.filter.title;

/** Hides a post behind the title of the filter that matched it. */
function Covered(props: {
  readonly by: string | undefined;
  readonly texts: Texts;
  readonly children: ComponentChildren;
}) {
  const { by, texts, children } = props;
  if (by === undefined) return <>{children}</>;
  return (
    <details class="filtered">
      <summary>
        {texts.posts.filtered}: <bdi>{by}</bdi> · {texts.posts.showAnyway}
      </summary>
      {children}
    </details>
  );
}

/** Hides the content behind a content warning, if there is one. */
function Warned(props: { readonly status: Status; readonly texts: Texts; readonly children: ComponentChildren }) {
  const { status, children } = props;
  if (status.spoiler_text === '') return <>{children}</>;
  return (
    <details>
      <summary>
        <Name text={status.spoiler_text} emojis={status.emojis} />
      </summary>
      {children}
    </details>
  );
}

/** Text, media, poll, quote and link preview. */
export function PostContent({ status, texts, language, blurredBy }: { readonly status: Status } & PostOptions) {
  const media = <Media media={status.media_attachments} texts={texts} />;
  const isSensitive = status.sensitive && status.spoiler_text === '';
  const isHidden = (isSensitive || blurredBy !== undefined) && status.media_attachments.length > 0;
  return (
    <>
      {status.content !== '' && (
        <Raw class="content" html={withEmoji(status.content, status.emojis)} lang={status.language ?? undefined} />
      )}
      {isHidden ? (
        <details>
          <summary>
            {blurredBy === undefined ? (
              texts.posts.sensitive
            ) : (
              <>
                {texts.posts.filtered}: <bdi>{blurredBy}</bdi>
              </>
            )}
          </summary>
          {media}
        </details>
      ) : (
        media
      )}
      {status.poll !== null && <PollResults poll={status.poll} texts={texts} language={language} />}
      {status.quote !== null && <Quoted quote={status.quote} texts={texts} language={language} />}
      {status.card !== null && status.media_attachments.length === 0 && <Preview card={status.card} />}
    </>
  );
}

function Quoted({ quote, texts, language }: { readonly quote: NonNullable<Status['quote']> } & PostOptions) {
  const quoted = 'quoted_status' in quote ? quote.quoted_status : null;
  if (quoted === null) return <p class="quoted post soft">{texts.posts.quoteHidden}</p>;
  return (
    <blockquote class="quoted post">
      <Covered by={coveringFilter(quoted)} texts={texts}>
        <header>
          <Author account={quoted.account} />
          <a class="when" href={postPath(quoted)}>
            <Time iso={quoted.created_at} language={language} />
          </a>
        </header>
        <Warned status={quoted} texts={texts}>
          {quoted.content !== '' && <Raw class="content" html={withEmoji(quoted.content, quoted.emojis)} />}
          <Media media={quoted.media_attachments} texts={texts} />
        </Warned>
      </Covered>
    </blockquote>
  );
}

function Preview({ card }: { readonly card: PreviewCard }) {
  return (
    <a class="preview" href={card.url} rel="nofollow noopener noreferrer">
      {card.image !== null && <img src={card.image} alt="" loading="lazy" />}
      <span>
        <strong>{card.title || card.url}</strong>
        {card.provider_name !== '' && <span class="soft small">{card.provider_name}</span>}
        {card.authors.map(({ account }) => account !== null && <span class="soft small">{`@${account.acct}`}</span>)}
      </span>
    </a>
  );
}

function Counts({ status, texts, language, isFocused }: { readonly status: Status } & PostOptions) {
  const path = postPath(status);
  const { posts } = texts;
  return (
    <footer>
      <a href={path}>{posts.replies(status.replies_count)}</a>
      <span>{posts.boosts(status.reblogs_count)}</span>
      <span>{posts.favourites(status.favourites_count)}</span>
      {status.edited_at !== null && (
        <a href={`${path}/history`}>
          {posts.edited} {isFocused === true && <Time iso={status.edited_at} language={language} />}
        </a>
      )}
      {isFocused === true && status.account.acct.includes('@') && (
        <a href={status.url} rel="nofollow noopener noreferrer">
          {posts.original}
        </a>
      )}
    </footer>
  );
}
