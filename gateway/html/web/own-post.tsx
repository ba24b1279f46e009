import type { Status } from '../../pages/status/status.js';
import { Csrf } from '../parts/form.js';
import { ownPostPath, Post } from '../parts/post.js';
import type { Reader } from '../site.js';

interface Props {
  readonly status: Status;
  readonly reader: Reader;
  /** Id of the person who reads. */
  readonly viewer: string;
  readonly isFocused?: boolean;
}

/** A post as its reader may act on it: buttons are forms, so they work without a script. */
export function OwnPost({ status, reader, viewer, isFocused = false }: Props) {
  const { texts, language } = reader;
  const shown = status.reblog ?? status;
  const actions = (
    <>
      {shown.poll !== null && !shown.poll.expired && shown.poll.voted !== true && (
        <Vote status={shown} reader={reader} />
      )}
      <Actions status={shown} reader={reader} viewer={viewer} anchor={`post-${status.id}`} />
    </>
  );
  return <Post status={status} texts={texts} language={language} isFocused={isFocused} actions={actions} />;
}

/** A form with one button, which leads back to the post. */
function Act(props: {
  readonly path: string;
  readonly text: string;
  readonly reader: Reader;
  readonly anchor: string;
  readonly count?: number;
  readonly isPressed?: boolean;
}) {
  const { path, text, reader, anchor, count, isPressed } = props;
  return (
    <form method="post" action={path}>
      <Csrf reader={reader} />
      <input type="hidden" name="back" value={`${reader.url}#${anchor}`} />
      <button type="submit" class="act" aria-pressed={isPressed}>
        {text}
        {count !== undefined && count > 0 && <span class="count"> {count}</span>}
      </button>
    </form>
  );
}

function Actions({ status, reader, viewer, anchor }: Omit<Props, 'isFocused'> & { readonly anchor: string }) {
  const { web } = reader.texts;
  const path = ownPostPath(status);
  const { favourited = false, reblogged = false, bookmarked = false, visibility } = status;
  const isOwn = status.account.id === viewer;
  const canBoost = visibility === 'public' || visibility === 'unlisted' || (visibility === 'private' && isOwn);
  const common = { reader, anchor };
  return (
    <footer class="acts">
      <a class="act" href={`${path}#status`}>
        {web.reply}
        {status.replies_count > 0 && <span class="count"> {status.replies_count}</span>}
      </a>
      {canBoost && (
        <Act
          path={`${path}/${reblogged ? 'unreblog' : 'reblog'}`}
          text={web.boost}
          count={status.reblogs_count}
          isPressed={reblogged}
          {...common}
        />
      )}
      <Act
        path={`${path}/${favourited ? 'unfavourite' : 'favourite'}`}
        text={web.favourite}
        count={status.favourites_count}
        isPressed={favourited}
        {...common}
      />
      <Act
        path={`${path}/${bookmarked ? 'unbookmark' : 'bookmark'}`}
        text={web.bookmark}
        isPressed={bookmarked}
        {...common}
      />
      {isOwn && <Act path={`${path}/delete`} text={web.remove} {...common} />}
    </footer>
  );
}

function Vote({ status, reader }: Pick<Props, 'status' | 'reader'>) {
  const { poll } = status;
  if (poll === null) return null;
  const type = poll.multiple ? 'checkbox' : 'radio';
  return (
    <form class="vote" method="post" action={`${ownPostPath(status)}/vote`}>
      <Csrf reader={reader} />
      <input type="hidden" name="back" value={`${reader.url}#post-${status.id}`} />
      {poll.options.map((option, index) => (
        <label key={index} class="check">
          <input type={type} name="choices[]" value={index} />
          <bdi>{option.title}</bdi>
        </label>
      ))}
      <button type="submit" class="plain">
        {reader.texts.web.vote}
      </button>
    </form>
  );
}

/** A list of such posts. */
export function OwnFeed({
  posts,
  reader,
  viewer,
}: { readonly posts: readonly Status[] } & Pick<Props, 'reader' | 'viewer'>) {
  return (
    <ol class="feed">
      {posts.map((status) => (
        <li key={status.id}>
          <OwnPost status={status} reader={reader} viewer={viewer} />
        </li>
      ))}
    </ol>
  );
}
