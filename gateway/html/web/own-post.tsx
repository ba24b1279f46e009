import type { Status } from '../../pages/status/status.js';
import { Csrf } from '../parts/form.js';
import { coveringFilter, ownPostPath, Post } from '../parts/post.js';
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
  const isOwn = shown.account.id === viewer;
  return (
    <Post
      status={status}
      texts={texts}
      language={language}
      isFocused={isFocused}
      coveredBy={isOwn ? undefined : coveringFilter(status)}
      blurredBy={isOwn ? undefined : filterOf(status, 'blur')}
      actions={actions}
    />
  );
}

const filterOf = ({ filtered }: Status, action: string): string | undefined =>
  filtered?.find(({ filter }) => filter.filter_action === action)?.filter.title;

/** Returns true for a post that a filter of its reader takes out of lists; the API leaves that to clients in most places. */
const isTakenOut = (status: Status, viewer: string): boolean =>
  (status.reblog ?? status).account.id !== viewer && filterOf(status, 'hide') !== undefined;

/** A form with one button, which leads back to the post. The script undoes it by `undo`. */
function Act(props: {
  readonly path: string;
  readonly undo?: string;
  readonly text: string;
  readonly reader: Reader;
  readonly anchor: string;
  readonly count?: number;
  readonly isPressed?: boolean;
}) {
  const { path, undo, text, reader, anchor, count, isPressed } = props;
  return (
    <form method="post" action={path} data-undo={undo}>
      <Csrf reader={reader} />
      <input type="hidden" name="back" value={`${reader.url}#${anchor}`} />
      <button type="submit" class="act" aria-pressed={isPressed}>
        {text}
        {count !== undefined && (
          <span class="count" hidden={count === 0}>
            {` ${count}`}
          </span>
        )}
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
  const marking = (verb: string, isPressed: boolean) => {
    const [set, unset] = [`${path}/${verb}`, `${path}/un${verb}`];
    return isPressed ? { path: unset, undo: set, isPressed } : { path: set, undo: unset, isPressed };
  };
  return (
    <footer class="acts">
      <a class="act" href={`${path}#status`}>
        {web.reply}
        {status.replies_count > 0 && <span class="count"> {status.replies_count}</span>}
      </a>
      {canBoost && <Act {...marking('reblog', reblogged)} text={web.boost} count={status.reblogs_count} {...common} />}
      <Act {...marking('favourite', favourited)} text={web.favourite} count={status.favourites_count} {...common} />
      <Act {...marking('bookmark', bookmarked)} text={web.bookmark} {...common} />
      {status.edited_at !== null && (
        <a class="act" href={`${path}/history`}>
          {reader.texts.posts.edited}
        </a>
      )}
      {isOwn && (
        <a class="act" href={`${path}/edit`}>
          {web.edit}
        </a>
      )}
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
  const shown = posts.filter((status) => !isTakenOut(status, viewer));
  if (shown.length === 0) return null;
  return (
    <ol class="feed">
      {shown.map((status) => (
        <li key={status.id}>
          <OwnPost status={status} reader={reader} viewer={viewer} />
        </li>
      ))}
    </ol>
  );
}
