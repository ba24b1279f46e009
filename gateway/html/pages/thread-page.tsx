import type { Answer } from '../../http/route.js';
import type { Status } from '../../pages/status/status.js';
import type { StatusEdit } from '../../pages/status/status-history.js';
import { ModerationLink } from '../moderation/link.js';
import { htmlAnswer } from '../page.js';
import { shownName } from '../parts/person.js';
import { Post, postPath } from '../parts/post.js';
import { Versions } from '../parts/versions.js';
import { plainText } from '../plain-text.js';
import { Feed, type StatusPieces } from '../posts.js';
import type { Reader, Site } from '../site.js';
import type { View } from '../view.js';

/** A post with the part of its thread that a page shows. */
export interface Thread {
  readonly status: Status;
  readonly ancestors: readonly (StatusPieces | undefined)[];
  readonly descendants: readonly (StatusPieces | undefined)[];
  /** Path of the page with earlier ancestors, and of the one with later replies. */
  readonly above: string | undefined;
  readonly below: string | undefined;
}

const TITLE_CHARS_MAX = 70;

/** Renders the page of a post. */
export function threadPage(site: Site, reader: Reader, thread: Thread): Answer {
  const { status, ancestors, descendants, above, below } = thread;
  const { texts, language } = reader;
  const body = (
    <>
      <h1 class="visually-hidden">{titleOf(reader, status)}</h1>
      {above !== undefined && (
        <p>
          <a href={above}>↑ {texts.posts.above}</a>
        </p>
      )}
      {ancestors.length > 0 && <Feed posts={ancestors} texts={texts} language={language} />}
      <Post status={status} texts={texts} language={language} isFocused />
      <p class="actions">
        {reader.person === undefined ? (
          <a class="button plain" href={`${postPath(status)}/interact`}>
            {texts.posts.interact}
          </a>
        ) : (
          <a class="button plain" href={`/web/posts/${status.id}`}>
            {texts.web.reply}
          </a>
        )}
        <ModerationLink account={status.account.id} reader={reader} />
      </p>
      <h2>{texts.posts.replies(status.replies_count)}</h2>
      {descendants.length > 0 ? (
        <Feed posts={descendants} texts={texts} language={language} />
      ) : (
        <p class="soft">{texts.posts.noReplies}</p>
      )}
      {below !== undefined && (
        <p>
          <a href={below}>{texts.posts.moreReplies} ↓</a>
        </p>
      )}
    </>
  );
  return htmlAnswer(site, reader, viewOf(site, reader, status), body);
}

/** Renders a post alone, for frames of other sites. */
export function embedPage(site: Site, reader: Reader, status: Status): Answer {
  const body = (
    <>
      <h1 class="visually-hidden">{titleOf(reader, status)}</h1>
      <Post status={status} texts={reader.texts} language={reader.language} isFocused />
    </>
  );
  return htmlAnswer(
    site,
    reader,
    { title: titleOf(reader, status), isEmbeddable: true, cache: 'public', isUnlisted: true },
    body,
  );
}

function titleOf({ texts }: Reader, status: Status): string {
  const text = status.spoiler_text || plainText(status.content, TITLE_CHARS_MAX);
  return texts.posts.title(shownName(status.account), text);
}

function viewOf({ instance }: Site, reader: Reader, status: Status): View {
  const path = postPath(status);
  const address = encodeURIComponent(`${instance.baseUrl}${path}`);
  const isOwn = !status.account.acct.includes('@');
  const picture = status.media_attachments.find(({ type }) => type === 'image');
  // Previews show neither what a warning hides nor sensitive media.
  const isOpen = !status.sensitive && status.spoiler_text === '';
  return {
    title: titleOf(reader, status),
    canonical: path,
    description: isOpen ? plainText(status.content) : status.spoiler_text,
    image: (isOpen ? picture?.preview_url : undefined) ?? status.account.avatar_static,
    kind: 'article',
    isUnlisted: !status.account.indexable || status.visibility !== 'public' || !isOwn,
    cache: 'public',
    head: (
      <>
        <link rel="alternate" type="application/activity+json" href={status.uri} />
        {isOwn && (
          <link
            rel="alternate"
            type="application/json+oembed"
            href={`${instance.baseUrl}/api/oembed?format=json&url=${address}`}
          />
        )}
        <meta property="article:published_time" content={status.created_at} />
        <meta name="fediverse:creator" content={`@${addressOf(instance.domain, status.account.acct)}`} />
      </>
    ),
  };
}

const addressOf = (domain: string, acct: string): string => (acct.includes('@') ? acct : `${acct}@${domain}`);

/** Renders the versions of a post, the newest first. */
export function historyPage(site: Site, reader: Reader, status: Status, versions: readonly StatusEdit[]): Answer {
  const { texts, language } = reader;
  const body = (
    <>
      <h1>{texts.posts.history}</h1>
      <p>
        <a href={postPath(status)}>{titleOf(reader, status)}</a>
      </p>
      <Versions versions={versions} texts={texts} language={language} />
    </>
  );
  return htmlAnswer(site, reader, { title: texts.posts.history, isUnlisted: true, cache: 'public' }, body);
}
