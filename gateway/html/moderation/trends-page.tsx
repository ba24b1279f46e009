import type { ComponentChildren } from 'preact';
import type { Answer } from '../../http/route.js';
import type { Status } from '../../pages/status/status.js';
import type { TrendsLink } from '../../pages/status/trends-link.js';
import { Csrf } from '../parts/form.js';
import { Author } from '../parts/person.js';
import { PostContent, postPath } from '../parts/post.js';
import type { Site } from '../site.js';
import { moderationAnswer, type Staff } from './frame.js';

/** Kinds of trends, as the API names them. */
export const TREND_LISTS = ['tags', 'links', 'statuses'] as const;

/** The state of a trend. */
interface Reviewed {
  readonly isShown: boolean;
  readonly isWaiting: boolean;
}

/** Everything that trends now. */
interface TrendFacts {
  readonly tags: readonly (Reviewed & { readonly id: string; readonly name: string })[];
  readonly links: readonly (Reviewed & Pick<TrendsLink, 'url' | 'title' | 'provider_name'> & { readonly id: string })[];
  readonly statuses: readonly (Reviewed & { readonly status: Status })[];
  readonly isDone: boolean;
}

/** Renders what trends, with buttons that show or hide it. */
export function trendsPage(site: Site, reader: Staff, { tags, links, statuses, isDone }: TrendFacts): Answer {
  const texts = reader.texts.moderation.entries.trends;
  const content = (
    <>
      <p class="soft">{texts.intro}</p>
      <Section title={texts.tags} nothing={reader.texts.shell.nothingHere}>
        {tags.map(({ id, name, ...state }) => (
          <Row key={id} reader={reader} state={state} path={`tags/${id}`} name={`#${name}`}>
            <a href={`/tags/${encodeURIComponent(name)}`}>#{name}</a>
          </Row>
        ))}
      </Section>
      <Section title={texts.links} nothing={reader.texts.shell.nothingHere}>
        {links.map(({ id, url, title, provider_name, ...state }) => (
          <Row key={id} reader={reader} state={state} path={`links/${id}`} name={title || url}>
            <a href={url} rel="nofollow noopener noreferrer">
              {title || url}
            </a>
            <span class="soft small">{provider_name}</span>
          </Row>
        ))}
      </Section>
      <Section title={texts.statuses} nothing={reader.texts.shell.nothingHere}>
        {statuses.map(({ status, ...state }) => (
          <Row
            key={status.id}
            reader={reader}
            state={state}
            path={`statuses/${status.id}`}
            name={`@${status.account.acct}`}
            below={<PostContent status={status} texts={reader.texts} language={reader.language} />}
          >
            <Author account={status.account} href={postPath(status)} />
          </Row>
        ))}
      </Section>
    </>
  );
  return moderationAnswer(site, reader, { title: texts.title, path: '/moderation/trends', isDone }, content);
}

function Section(props: {
  readonly title: string;
  readonly nothing: string;
  readonly children: readonly ComponentChildren[];
}) {
  const { title, nothing, children } = props;
  return (
    <>
      <h2>{title}</h2>
      {children.length === 0 ? <p class="soft">{nothing}</p> : <ul class="rows">{children}</ul>}
    </>
  );
}

function Row(props: {
  readonly reader: Staff;
  readonly state: Reviewed;
  readonly path: string;
  /** Name of the trend for assistive technology. */
  readonly name: string;
  readonly below?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { reader, state, path, name, below, children } = props;
  const texts = reader.texts.moderation.entries.trends;
  const isDecided = !state.isWaiting;
  return (
    <li>
      <form class="group" method="post" action={`/moderation/trends/${path}`}>
        <Csrf reader={reader} />
        {children}
        <span class="mark">{state.isWaiting ? texts.waits : state.isShown ? texts.shown : texts.hidden}</span>
        {!(isDecided && state.isShown) && (
          <button type="submit" name="action" value="approve" class="link" aria-label={`${texts.approve}: ${name}`}>
            {texts.approve}
          </button>
        )}
        {(state.isWaiting || state.isShown) && (
          <button type="submit" name="action" value="reject" class="link" aria-label={`${texts.reject}: ${name}`}>
            {texts.reject}
          </button>
        )}
      </form>
      {below}
    </li>
  );
}
